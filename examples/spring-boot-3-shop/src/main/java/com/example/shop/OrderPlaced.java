package com.example.shop;

/** What others are told of an order. */
record OrderPlaced(int number, int amount) {}
