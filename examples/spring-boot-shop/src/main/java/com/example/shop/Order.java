package com.example.shop;

/**
 * What a customer wants.
 *
 * @param number chosen by who orders, so that an order can be sent again if no answer came
 */
record Order(int number, String customer, int amount) {}
