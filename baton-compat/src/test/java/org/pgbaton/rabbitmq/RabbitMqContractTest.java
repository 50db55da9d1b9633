package org.pgbaton.rabbitmq;


/** What every publisher owes its relay, with this client. The contract lies in the test jar; Maven runs only what is compiled here. */
class RabbitMqContractTest extends ContractTest {}
