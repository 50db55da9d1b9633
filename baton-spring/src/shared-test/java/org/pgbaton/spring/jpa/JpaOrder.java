package org.pgbaton.spring.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.springframework.data.domain.Persistable;

/** An order as JPA sees it: always a new one, inserted when the transaction commits. */
@Entity
@Table(name = "orders")
public class JpaOrder implements Persistable<String> {
    @Id
    private String id = "";

    protected JpaOrder() {}

    public JpaOrder(String id) {
        this.id = id;
    }

    @Override
    public String getId() {
        return id;
    }

    @Override
    public boolean isNew() {
        return true;
    }
}
