package org.pgbaton.spring.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order as JPA sees it. */
@Entity
@Table(name = "orders")
public class JpaOrder {
    @Id
    private String id = "";

    protected JpaOrder() {}

    public JpaOrder(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }
}
