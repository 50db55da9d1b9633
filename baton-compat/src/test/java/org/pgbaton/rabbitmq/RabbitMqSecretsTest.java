package org.pgbaton.rabbitmq;


/** Passwords, certificates and host names, with this client: what newer ones check by themselves, older ones do not. */
class RabbitMqSecretsTest extends SecretsTest {}
