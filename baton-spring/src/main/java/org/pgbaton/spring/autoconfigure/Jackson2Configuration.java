package org.pgbaton.spring.autoconfigure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.pgbaton.jackson2.Jackson2Codecs;
import org.pgbaton.typed.Codecs;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Objects as JSON by Jackson 2, with the application's own mapper if there is one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Jackson2Codecs.class)
class Jackson2Configuration {
    @Bean
    @ConditionalOnMissingBean(Codecs.class)
    Jackson2Codecs batonCodecs(ObjectProvider<ObjectMapper> mappers) {
        return Jackson2Codecs.with(mappers.getIfUnique(
                () -> JsonMapper.builder().findAndAddModules().build()));
    }
}
