package com.example.shop;

/** What others are told of an order. Their key is the customer: each customer's orders stay in order. */
record OrderPlaced(int number, int amount) {}
