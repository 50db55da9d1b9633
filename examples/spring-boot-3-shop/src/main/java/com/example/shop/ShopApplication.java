package com.example.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop on Spring Boot 3.5. What differs from the one on Boot 4.1 is in pom.xml: the starter, and Jackson 2. */
@SpringBootApplication
class ShopApplication {}
