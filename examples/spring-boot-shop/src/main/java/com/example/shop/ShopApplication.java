package com.example.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A shop that runs in as many instances as you like, on one PostgreSQL. */
@SpringBootApplication
@EnableScheduling
public class ShopApplication {
    public static void main(String... arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
