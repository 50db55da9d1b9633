package org.pgbaton.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaNameTest {
    @Test
    void theDefaultIsBaton() {
        assertThat(SchemaName.DEFAULT.name()).isEqualTo("baton");
    }

    @Test
    void everyPlaceholderIsReplacedByTheQuotedName() {
        assertThat(new SchemaName("Shop").in("SELECT ${schema}.a FROM ${schema}.b"))
                .isEqualTo("SELECT \"Shop\".a FROM \"Shop\".b");
    }

    @Test
    void otherPlaceholdersAreLeftAlone() {
        assertThat(SchemaName.DEFAULT.in("${prefix} $1 ${schema}")).isEqualTo("${prefix} $1 \"baton\"");
    }

    @Test
    void itPrintsAsTheBareName() {
        assertThat(new SchemaName("shop_2")).hasToString("shop_2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"b", "_b", "Baton", "baton_2", "pgbaton", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"})
    void lettersDigitsAndUnderscoresAreFine(String name) {
        assertThat(new SchemaName(name).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "2baton",
                "my-baton",
                "my.baton",
                "my baton",
                "baton\n",
                "a\"b",
                "a'; DROP SCHEMA x; --",
                "späne",
                "pg_baton",
                "my$baton",
                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxy"
            })
    void anythingElseIsRefusedWithTheRuleAndTheDefault(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SchemaName(name))
                .withMessage("'" + name + "' cannot be the name of Baton's schema: use 1 to 50 letters, digits and "
                        + "underscores, not starting with a digit or with pg_ (default 'baton').");
    }

    @Test
    void anEndlessNameIsShortenedInTheMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SchemaName("x".repeat(10_000)))
                .withMessageStartingWith("'" + "x".repeat(80) + "…' cannot");
    }
}
