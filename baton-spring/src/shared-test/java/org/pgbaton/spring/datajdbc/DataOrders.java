package org.pgbaton.spring.datajdbc;

import org.springframework.data.repository.CrudRepository;

/** Orders by Spring Data JDBC. */
public interface DataOrders extends CrudRepository<DataOrder, String> {}
