package com.example.shop;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Orders by REST: 201 placed, 409 there already, 422 refused. */
@RestController
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    void place(@RequestBody Order order) {
        orders.place(order);
    }

    @ExceptionHandler
    ResponseEntity<String> refused(OrderRefusedException refused) {
        return ResponseEntity.status(422).body(refused.getMessage());
    }

    @ExceptionHandler
    ResponseEntity<String> known(DuplicateKeyException known) {
        return ResponseEntity.status(HttpStatus.CONFLICT).body("There is an order of this number.");
    }
}
