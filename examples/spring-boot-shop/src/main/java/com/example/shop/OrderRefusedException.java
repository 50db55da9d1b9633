package com.example.shop;

/** The customer cannot have this. */
class OrderRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OrderRefusedException(Order order) {
        super("Order " + order.number() + " of " + order.customer() + " is above the limit: " + order.amount());
    }
}
