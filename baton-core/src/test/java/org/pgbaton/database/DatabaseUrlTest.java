package org.pgbaton.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class DatabaseUrlTest {
    private static final String ME = System.getProperty("user.name");
    private static final Map<String, String> NO_VARIABLES = Map.of();
    private static final Map<String, String> ALL_VARIABLES = Map.of(
            "PGHOST", "env.example.com",
            "PGPORT", "6000",
            "PGDATABASE", "envdb",
            "PGUSER", "envuser",
            "PGPASSWORD", "envsecret",
            "PGSSLMODE", "require",
            "PGSSLROOTCERT", "/env/root.crt",
            "PGCONNECT_TIMEOUT", "9",
            "PGTARGETSESSIONATTRS", "primary",
            "PGOPTIONS", "-c work_mem=1MB");

    @TempDir
    Path folder;

    // The forms of the URL

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://app:secret@db.example.com:5433/shop",
                "postgresql://app:secret@db.example.com:5433/shop",
                "jdbc:postgresql://app:secret@db.example.com:5433/shop",
                "jdbc:postgresql://db.example.com:5433/shop?user=app&password=secret",
                "postgres:///?host=db.example.com&port=5433&dbname=shop&user=app&password=secret"
            })
    void everyFormSaysTheSame(String url) throws Exception {
        DatabaseUrl parsed = parse(url);

        assertThat(parsed.hosts()).isEqualTo("db.example.com:5433");
        assertThat(parsed.database()).isEqualTo("shop");
        assertThat(parsed.user()).isEqualTo("app");
        assertThat(parsed.connectionProperties())
                .containsOnly(Map.entry("user", "app"), Map.entry("password", "secret"));
        assertThat(parsed.jdbcUrl()).isEqualTo("jdbc:postgresql://db.example.com:5433/shop");
    }

    @ParameterizedTest
    @CsvSource({
        "postgres://app@/shop,      localhost:5432, shop, app",
        "postgres:///shop,          localhost:5432, shop, ",
        "jdbc:postgresql:shop,      localhost:5432, shop, ",
        "jdbc:postgresql:,          localhost:5432, ,     ",
        "postgres://,               localhost:5432, ,     ",
        "postgres://db,             db:5432,        ,     ",
        "postgres://db/,            db:5432,        ,     ",
        "postgres://app@db,         db:5432,        app,  app",
        "postgres://db?user=app,    db:5432,        app,  app",
    })
    void whatIsLeftOutHasLibpqsDefaults(String url, String hosts, String database, String user) throws Exception {
        DatabaseUrl parsed = parse(url);

        assertThat(parsed.hosts()).isEqualTo(hosts);
        assertThat(parsed.user()).isEqualTo(user == null ? ME : user);
        assertThat(parsed.database()).isEqualTo(database == null ? ME : database);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "postgres://a,b,c/shop                 | a:5432,b:5432,c:5432",
                "postgres://a:1,b:2/shop               | a:1,b:2",
                "postgres://a,b:5433/shop              | a:5432,b:5433",
                "postgres://a,b:5433/shop?port=7000    | a:7000,b:5433",
                "postgres:///shop?host=a,b             | a:5432,b:5432",
                "postgres://[::1]/shop                 | [::1]:5432",
                "postgres://[::1]:5433/shop            | [::1]:5433",
                "postgres://[::1]:5433,[fe80::2],c/shop| [::1]:5433,[fe80::2]:5432,c:5432",
            })
    void everyHostGetsItsPort(String url, String hosts) throws Exception {
        assertThat(parse(url).hosts()).isEqualTo(hosts);
    }

    @Test
    void theDriverUnderstandsSeveralHosts() throws Exception {
        var understood = Driver.parseURL(parse("postgres://a,[::1]:5433/shop").jdbcUrl(), null);

        assertThat(understood)
                .containsEntry("PGHOST", "a,[::1]")
                .containsEntry("PGPORT", "5432,5433")
                .containsEntry("PGDBNAME", "shop");
    }

    // Escapes

    @Test
    void escapesInUserPasswordAndDatabaseAreResolved() throws Exception {
        DatabaseUrl parsed = parse("postgres://a%40b:%3A%2F%3F%23%5B%5D%40%25%26+%20%C3%BC@db/my%20%2Fshop");

        assertThat(parsed.user()).isEqualTo("a@b");
        assertThat(password(parsed)).isEqualTo(":/?#[]@%&+ ü");
        assertThat(parsed.database()).isEqualTo("my /shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p@ss", "p:ss", "p/ss", "@:/", "p#ss", "p+ss", "p&ss=x"})
    void aPasswordWhoseSpecialCharactersWereForgottenIsTakenAsItIs(String password) throws Exception {
        DatabaseUrl parsed = parse("postgres://app:" + password + "@db/shop");

        assertThat(password(parsed)).isEqualTo(password);
        assertThat(parsed).hasToString("postgres://app@db:5432/shop");
    }

    @Test
    void aPlusIsAPlusAlsoInAParameter() throws Exception {
        assertThat(password(parse("jdbc:postgresql://db/shop?password=a+b%2Bc%20d")))
                .isEqualTo("a+b+c d");
    }

    @Test
    void theDriverGetsTheDatabaseNameThatWasMeant() throws Exception {
        String name = "a/b c?d&e=%f+ü@";
        String url = "postgres://db/a%2Fb%20c%3Fd%26e%3D%25f%2B%C3%BC%40";

        assertThat(parse(url).database()).isEqualTo(name);
        assertThat(Driver.parseURL(parse(url).jdbcUrl(), null)).containsEntry("PGDBNAME", name);
    }

    @Test
    void thePartBeforeTheHostWinsOverParameters() throws Exception {
        DatabaseUrl parsed = parse("postgres://app:secret@db/shop?user=other&password=wrong&host=x&dbname=y");

        assertThat(parsed).hasToString("postgres://app@db:5432/shop");
        assertThat(password(parsed)).isEqualTo("secret");
    }

    // libpq's parameters

    @ParameterizedTest
    @CsvSource({
        "connect_timeout=3,                    connectTimeout,   3",
        "application_name=my%20app,            ApplicationName,  my app",
        "keepalives=1,                         tcpKeepAlive,     true",
        "sslmode=verify-full,                  sslmode,          verify-full",
        "sslrootcert=/a/root.crt,              sslrootcert,      /a/root.crt",
        "sslcert=/a/me.crt,                    sslcert,          /a/me.crt",
        "sslkey=/a/me.key,                     sslkey,           /a/me.key",
        "options=-c%20search_path%3Dx,         options,          -c search_path=x",
        "target_session_attrs=read-write,      targetServerType, primary",
        "target_session_attrs=primary,         targetServerType, primary",
        "target_session_attrs=standby,         targetServerType, secondary",
        "target_session_attrs=read-only,       targetServerType, secondary",
        "target_session_attrs=prefer-standby,  targetServerType, preferSecondary",
        "target_session_attrs=any,             targetServerType, any",
    })
    void libpqsParametersReachTheDriverUnderItsNames(String parameter, String property, String value) throws Exception {
        assertThat(parse("postgres://app@db/shop?" + parameter).connectionProperties())
                .containsOnly(Map.entry("user", "app"), Map.entry(property, value));
    }

    @Test
    void theDriversOwnParametersPassUnchanged() throws Exception {
        assertThat(parse("jdbc:postgresql://db/shop?targetServerType=primary&socketTimeout=5&ApplicationName=x")
                        .connectionProperties())
                .containsEntry("targetServerType", "primary")
                .containsEntry("socketTimeout", "5")
                .containsEntry("ApplicationName", "x");
    }

    @Test
    void emptyParametersBetweenAmpersandsAreSkipped() throws Exception {
        assertThat(parse("postgres://app@db/shop?&sslmode=disable&&").connectionProperties())
                .containsOnly(Map.entry("user", "app"), Map.entry("sslmode", "disable"));
    }

    @Test
    void aDefaultFillsAGapAndNothingElse() throws Exception {
        DatabaseUrl parsed = parse("postgres://app:secret@db/shop?connect_timeout=3")
                .withDefault("connectTimeout", "10")
                .withDefault("tcpKeepAlive", "true");

        assertThat(parsed.connectionProperties())
                .containsOnly(
                        Map.entry("user", "app"),
                        Map.entry("password", "secret"),
                        Map.entry("connectTimeout", "3"),
                        Map.entry("tcpKeepAlive", "true"));
    }

    // Variables

    @Test
    void variablesFillWhatTheUrlLeavesOpen() throws Exception {
        DatabaseUrl parsed = DatabaseUrl.parse("postgres://", ALL_VARIABLES);

        assertThat(parsed).hasToString("postgres://envuser@env.example.com:6000/envdb");
        assertThat(parsed.connectionProperties())
                .containsOnly(
                        Map.entry("user", "envuser"),
                        Map.entry("password", "envsecret"),
                        Map.entry("sslmode", "require"),
                        Map.entry("sslrootcert", "/env/root.crt"),
                        Map.entry("connectTimeout", "9"),
                        Map.entry("targetServerType", "primary"),
                        Map.entry("options", "-c work_mem=1MB"));
    }

    @Test
    void variablesNeverOverrideTheUrl() throws Exception {
        DatabaseUrl parsed = DatabaseUrl.parse(
                "postgres://app:secret@db:5433/shop?sslmode=disable&sslrootcert=/my/root.crt&connectTimeout=3"
                        + "&target_session_attrs=any&options=-c%20x%3Dy",
                ALL_VARIABLES);

        assertThat(parsed).hasToString("postgres://app@db:5433/shop");
        assertThat(parsed.connectionProperties())
                .containsOnly(
                        Map.entry("user", "app"),
                        Map.entry("password", "secret"),
                        Map.entry("sslmode", "disable"),
                        Map.entry("sslrootcert", "/my/root.crt"),
                        Map.entry("connectTimeout", "3"),
                        Map.entry("targetServerType", "any"),
                        Map.entry("options", "-c x=y"));
    }

    @Test
    void variablesDoNotOverrideTheUrlsParametersEither() throws Exception {
        DatabaseUrl parsed = DatabaseUrl.parse(
                "postgres:///?host=db&port=5433&dbname=shop&user=app&password=secret&targetServerType=any",
                ALL_VARIABLES);

        assertThat(parsed).hasToString("postgres://app@db:5433/shop");
        assertThat(parsed.connectionProperties())
                .containsEntry("password", "secret")
                .containsEntry("targetServerType", "any");
    }

    @Test
    void thePortVariableIsForHostsWithoutOne() throws Exception {
        assertThat(DatabaseUrl.parse("postgres://a,b:5433/shop", Map.of("PGPORT", "6000"))
                        .hosts())
                .isEqualTo("a:6000,b:5433");
    }

    @Test
    void anEmptyVariableCountsAsNone() throws Exception {
        DatabaseUrl parsed = DatabaseUrl.parse(
                "postgres://app@/", Map.of("PGHOST", "", "PGPORT", "", "PGDATABASE", "", "PGPASSWORD", ""));

        assertThat(parsed).hasToString("postgres://app@localhost:5432/app");
        assertThat(parsed.connectionProperties()).containsOnly(Map.entry("user", "app"));
    }

    // Passwords

    @Test
    void thePasswordFileIsReadAnewForEveryConnection() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "first\n");
        DatabaseUrl parsed = parse("postgres://app@db/shop").passwordFile(file);
        assertThat(password(parsed)).isEqualTo("first");

        Files.writeString(file, "second\n");

        assertThat(password(parsed)).isEqualTo("second");
    }

    @Test
    void thePasswordFileWinsOverTheUrlAndTheVariable() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "from file");

        DatabaseUrl parsed = DatabaseUrl.parse("postgres://app:secret@db/shop", ALL_VARIABLES)
                .passwordFile(file)
                .withDefault("tcpKeepAlive", "true");

        assertThat(password(parsed)).isEqualTo("from file");
    }

    @Test
    void aPasswordFileThatIsNotThereIsRefusedAtOnce() throws Exception {
        Path file = folder.resolve("missing");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://app@db/shop").passwordFile(file))
                .withMessage("The password file " + file + " cannot be read.");
    }

    @Test
    void aPasswordFileThatIsGoneAtTheNextConnectionIsAnOutage() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "first");
        DatabaseUrl parsed = parse("postgres://app@db/shop").passwordFile(file);

        Files.delete(file);

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(parsed::connectionProperties)
                .withMessage("the password file " + file + " cannot be read")
                .satisfies(failure -> assertThat(Fault.of(failure)).isEqualTo(Fault.OUTAGE));
    }

    @ParameterizedTest
    @CsvSource({"' a b ', ' a b '", "'a\n', a", "'a\r\n', a", "'a\n\n', 'a\n'"})
    void onlyTheLineEndIsNotPartOfThePasswordInTheFile(String content, String password) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), content);

        assertThat(password(parse("postgres://app@db/shop").passwordFile(file))).isEqualTo(password);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://app:geheim@db/shop",
                "postgres://app:geheim%40geheim@db/shop",
                "postgres://app:ge@heim@db/shop",
                "postgres://app:ge/heim@db/shop",
                "jdbc:postgresql://db/shop?user=app&password=geheim",
                "postgres://app@db/shop?sslpassword=geheim"
            })
    void thePasswordIsNeverShown(String url) throws Exception {
        assertThat(parse(url)).hasToString("postgres://app@db:5432/shop");
        assertThat(parse(url).jdbcUrl()).isEqualTo("jdbc:postgresql://db:5432/shop");
    }

    @Test
    void aPasswordFromAVariableOrAFileIsNotShownEither() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "geheim");

        assertThat(DatabaseUrl.parse("postgres://app@db/shop", Map.of("PGPASSWORD", "geheim"))
                        .passwordFile(file)
                        .toString())
                .isEqualTo("postgres://app@db:5432/shop");
    }

    // Bad input

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "mysql://db/shop",
                "jdbc:mysql://db/shop",
                "http://db/shop",
                "mysql://app:ge@heim@db/shop"
            })
    void anotherSchemeIsRefusedWithAnExampleAndNothingOfTheUrl(String url) throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(url))
                .withMessage("The database URL starts with none of postgres://, postgresql:// and jdbc:postgresql://; "
                        + "write for example postgres://user@localhost:5432/mydb.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "99999", "65536", "99999999999"})
    void aPortOutsideTheRangeIsRefused(String port) throws Exception {
        assertPortRefused(port, "The database's port " + port + " is not a number from 1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "abc", "5432x", " 5432", "٥٤٣٢"})
    void aPortThatIsNoNumberIsRefusedAndNotShown(String port) throws Exception {
        assertPortRefused(port, "The database's port is not a number from 1 to 65535");
    }

    @Test
    void anEmptyPortInTheUrlIsRefused() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db:/shop"))
                .withMessageStartingWith("The database's port is not a number from 1 to 65535; ");
    }

    /** Wherever it comes from. */
    private static void assertPortRefused(String port, String start) {
        String message =
                start + "; a special character in user or password is written %40 for @, %2F for /, %3F for ?.";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db:" + port + "/shop"))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://a,[::1]:" + port + "/shop"))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db/shop?port=" + port))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatabaseUrl.parse("postgres://db/shop", Map.of("PGPORT", port)))
                .withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "65535"})
    void theBoundsOfThePortAreInside(String port) throws Exception {
        assertThat(parse("postgres://db:" + port + "/shop").hosts()).isEqualTo("db:" + port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslmode", "sslmode=disable&ssl", "=x"})
    void aParameterWithoutNameOrValueIsRefusedAndNotShown(String query) throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db/shop?" + query))
                .withMessage(
                        "The database URL has a parameter without a value; write name=value, and %3F for a question "
                                + "mark in a password.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://app:100%@db/shop",
                "postgres://app:%zz@db/shop",
                "postgres://db/shop%2",
                "postgres://db/shop?password=50%"
            })
    void aPercentSignThatStartsNoEscapeIsRefusedWithoutShowingWhatIsAroundIt(String url) throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(url))
                .withMessage("The database URL has a '%' that starts no escape; write %25 for a percent sign.");
    }

    @Test
    void anUnknownTargetIsRefusedWithTheKnownOnes() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db/shop?target_session_attrs=master"))
                .withMessage("target_session_attrs=master is unknown; use read-write, primary, standby, prefer-standby "
                        + "or any.");
    }

    // Bugs that were

    @Test
    void theConnectTimeoutVariableDoesNotOverrideLibpqsParameter() throws Exception {
        assertThat(DatabaseUrl.parse("postgres://app@db/shop?connect_timeout=3", ALL_VARIABLES)
                        .connectionProperties())
                .containsEntry("connectTimeout", "3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres://@db/shop", "postgres://:secret@db/shop", "postgres://db/shop?user="})
    void anEmptyUserCountsAsNone(String url) throws Exception {
        assertThat(parse(url).user()).isEqualTo(ME);
        assertThat(DatabaseUrl.parse(url, ALL_VARIABLES).user()).isEqualTo("envuser");
    }

    @Test
    void aBareIpv6AddressInTheHostVariableIsUnderstood() throws Exception {
        assertThat(DatabaseUrl.parse("postgres:///shop", Map.of("PGHOST", "::1"))
                        .hosts())
                .isEqualTo("[::1]:5432");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres://%2Fvar%2Frun%2Fpostgresql/shop", "postgres:///shop?host=/var/run/postgresql"})
    void aFolderOfAUnixSocketIsRefusedWithASentence(String url) throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(url)).withMessageContaining("Unix");
    }

    @ParameterizedTest
    @CsvSource({"postgres://:5433/shop, env.example.com:5433", "'postgres://a,/shop', 'a:6000,env.example.com:6000'"})
    void anEmptyHostIsFilledFromTheVariable(String url, String hosts) throws Exception {
        assertThat(DatabaseUrl.parse(url, ALL_VARIABLES).hosts()).isEqualTo(hosts);
    }

    @ParameterizedTest
    @CsvSource({
        "postgres://:5433/shop,   localhost:5433",
        "'postgres://,/shop',     'localhost:5432,localhost:5432'",
        "'postgres://,b:1/shop',  'localhost:5432,b:1'"
    })
    void anEmptyHostIsTheDefaultOneAsForLibpq(String url, String hosts) throws Exception {
        assertThat(parse(url).hosts()).isEqualTo(hosts);
    }

    @ParameterizedTest
    @CsvSource({"jdbc:postgresql:/, ", "jdbc:postgresql:/shop, shop"})
    void theDriversFormWithASingleSlashIsUnderstood(String url, String database) throws Exception {
        assertThat(parse(url).database()).isEqualTo(database == null ? ME : database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://db/shop?password=geheim",
                "jdbc:mysql://db/shop?user=app&password=x@geheim",
                "host=db user=app password=geheim",
                "postgres://app:x?geheim@db/shop",
                "postgres://app:geheim?x=y@db/shop"
            })
    void noMessageShowsAPassword(String url) throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(url)).withMessageNotContaining("geheim");
    }

    @Test
    void aFolderIsNoPasswordFile() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://app@db/shop").passwordFile(folder));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres:///?host=d/geheim=5433&dbname=shop",
                "postgres://db geheim/shop",
                "postgres://db\n/shop",
                "postgres://[::1/shop",
                "postgres://[geheim]/shop",
                "postgres://a,b#geheim/shop",
                "postgres://db%geheim/shop"
            })
    void aHostThatIsNoneIsRefusedAndNotShown(String url) throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(url))
                .withMessage(
                        "The database's host is neither a name nor an address such as 192.0.2.1 or [2001:db8::1]; a "
                                + "special character in user or password is written %40 for @, %2F for /, %3F for ?.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"my-db_1.example.com", "xn--bcher-kva.example", "bücher.example", "[fe80::1%eth0]", "10.0.0.1"})
    void aHostMayBeAnyNameOrAddress(String host) throws Exception {
        assertThat(parse("postgres://" + host + "/shop").hosts()).isEqualTo(host + ":5432");
    }

    @Test
    void whatIsLongOrStrangeIsNotShown() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db/shop?target_session_attrs=" + "rs=".repeat(20_000)))
                .withMessage(
                        "target_session_attrs is unknown; use read-write, primary, standby, prefer-standby or any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgres://db:" + "9".repeat(20_000) + "/shop"))
                .withMessageStartingWith("The database's port is not a number from 1 to 65535; ");
    }

    private static DatabaseUrl parse(String url) {
        return DatabaseUrl.parse(url, NO_VARIABLES);
    }

    private static String password(DatabaseUrl url) throws Exception {
        return url.connectionProperties().getProperty("password");
    }
}
