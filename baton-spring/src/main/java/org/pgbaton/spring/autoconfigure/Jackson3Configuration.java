package org.pgbaton.spring.autoconfigure;

import org.pgbaton.jackson3.Jackson3Codecs;
import org.pgbaton.typed.Codecs;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Objects as JSON by Jackson 3, with the application's own mapper if there is one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Jackson3Codecs.class)
class Jackson3Configuration {
    @Bean
    @ConditionalOnMissingBean(Codecs.class)
    Jackson3Codecs batonCodecs(ObjectProvider<JsonMapper> mappers) {
        return Jackson3Codecs.with(mappers.getIfUnique(
                () -> JsonMapper.builder().findAndAddModules().build()));
    }
}
