package org.pgbaton.spring.modulith;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.RoutingTarget;

/**
 * Target and key of a routing such as {@code orders::#{customerId()}}, where each may be an expression about the payload, as in Spring
 * Modulith's modules for brokers. Thread-safe.
 */
final class RoutingExpressions {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

    private final StandardEvaluationContext context = new StandardEvaluationContext();

    RoutingExpressions(BeanFactory beans) {
        context.setBeanResolver(new BeanFactoryResolver(beans));
    }

    String target(RoutingTarget routing, Object payload) {
        String target = evaluated(routing.getTarget(), routing, payload);
        if (target == null) {
            throw new IllegalArgumentException("The target of the externalized "
                    + payload.getClass().getName() + " is null: " + routing.getTarget() + " must give a text.");
        }
        return target;
    }

    /** Null if there is none; then each message is in an order of its own. */
    @Nullable
    String key(RoutingTarget routing, Object payload) {
        String key = routing.getKey();
        return key == null ? null : evaluated(key, routing, payload);
    }

    /** Modulith takes both parts as templates if one of them begins as an expression. */
    private @Nullable String evaluated(String text, RoutingTarget routing, Object payload) {
        if (!routing.hasExpression()) {
            return text;
        }
        Object value = PARSER.parseExpression(text, TEMPLATE).getValue(context, payload);
        return value == null ? null : value.toString();
    }
}
