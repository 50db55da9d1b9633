package org.pgbaton.rabbitmq;


/**
 * The contract of every publisher, with this client. The contract is in the test jar; this class exists because Maven
 * runs only classes that are compiled here.
 */
class RabbitMqContractTest extends ContractTest {}
