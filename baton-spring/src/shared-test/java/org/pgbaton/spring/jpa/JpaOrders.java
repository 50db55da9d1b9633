package org.pgbaton.spring.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

/** Orders by Spring Data JPA. */
public interface JpaOrders extends JpaRepository<JpaOrder, String> {}
