package org.pgbaton.spring.test;

import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Tells {@link SentMessages} where a test begins, and ends the application after its class. Made by Spring. */
final class OwnDatabaseListener extends AbstractTestExecutionListener {
    @Override
    public void prepareTestInstance(TestContext test) {
        test.getApplicationContext().getBean(SentMessages.class).requireOwnDatabase();
    }

    /** Before {@code @BeforeEach} methods, so that what they send counts. */
    @Override
    public void beforeTestMethod(TestContext test) {
        test.getApplicationContext().getBean(SentMessages.class).begin();
    }

    @Override
    public void afterTestClass(TestContext test) {
        if (OwnDatabase.ownerOf(test.getTestClass()) == test.getTestClass()) {
            test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        }
    }

    /** Before Spring's own, which begins transactions. */
    @Override
    public int getOrder() {
        return 3000;
    }
}
