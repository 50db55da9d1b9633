package org.pgbaton.spring.datajdbc;

import org.springframework.data.annotation.Id;
import org.springframework.data.domain.Persistable;
import org.springframework.data.relational.core.mapping.Table;

/** An order as Spring Data JDBC sees it: always a new one. */
@Table("orders")
public record DataOrder(@Id String id) implements Persistable<String> {
    @Override
    public String getId() {
        return id;
    }

    @Override
    public boolean isNew() {
        return true;
    }
}
