package org.pgbaton.pgoutput;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's own types, which the stream does not name: those that have an array type or are not plain text. Their numbers never change.
 */
final class BuiltInTypes {
    private static final Map<Long, ColumnType> BY_OID = new HashMap<>();
    private static final Map<String, ColumnType> BY_NAME = new HashMap<>();

    static {
        add("bool", 16, 1000, JsonForm.BOOLEAN);
        add("bytea", 17, 1001, JsonForm.BYTES);
        add("char", 18, 1002, JsonForm.TEXT);
        add("name", 19, 1003, JsonForm.TEXT);
        add("int8", 20, 1016, JsonForm.NUMBER);
        add("int2", 21, 1005, JsonForm.NUMBER);
        add("int2vector", 22, 1006, JsonForm.TEXT);
        add("int4", 23, 1007, JsonForm.NUMBER);
        add("regproc", 24, 1008, JsonForm.TEXT);
        add("text", 25, 1009, JsonForm.TEXT);
        add("oid", 26, 1028, JsonForm.NUMBER);
        add("tid", 27, 1010, JsonForm.TEXT);
        add("xid", 28, 1011, JsonForm.TEXT);
        add("cid", 29, 1012, JsonForm.TEXT);
        add("oidvector", 30, 1013, JsonForm.TEXT);
        add("json", 114, 199, JsonForm.JSON);
        add("xml", 142, 143, JsonForm.TEXT);
        add("xid8", 5069, 271, JsonForm.TEXT);
        add("point", 600, 1017, JsonForm.TEXT);
        add("lseg", 601, 1018, JsonForm.TEXT);
        add("path", 602, 1019, JsonForm.TEXT);
        add("box", 603, 1020, JsonForm.TEXT, ';');
        add("polygon", 604, 1027, JsonForm.TEXT);
        add("line", 628, 629, JsonForm.TEXT);
        add("cidr", 650, 651, JsonForm.TEXT);
        add("float4", 700, 1021, JsonForm.NUMBER);
        add("float8", 701, 1022, JsonForm.NUMBER);
        add("circle", 718, 719, JsonForm.TEXT);
        add("macaddr8", 774, 775, JsonForm.TEXT);
        add("money", 790, 791, JsonForm.TEXT);
        add("macaddr", 829, 1040, JsonForm.TEXT);
        add("inet", 869, 1041, JsonForm.TEXT);
        add("aclitem", 1033, 1034, JsonForm.TEXT);
        add("bpchar", 1042, 1014, JsonForm.TEXT);
        add("varchar", 1043, 1015, JsonForm.TEXT);
        add("date", 1082, 1182, JsonForm.DATE);
        add("time", 1083, 1183, JsonForm.TEXT);
        add("timestamp", 1114, 1115, JsonForm.TIMESTAMP);
        add("timestamptz", 1184, 1185, JsonForm.TIMESTAMPTZ);
        add("interval", 1186, 1187, JsonForm.TEXT);
        add("timetz", 1266, 1270, JsonForm.TIMETZ);
        add("bit", 1560, 1561, JsonForm.TEXT);
        add("varbit", 1562, 1563, JsonForm.TEXT);
        add("numeric", 1700, 1231, JsonForm.NUMBER);
        add("refcursor", 1790, 2201, JsonForm.TEXT);
        add("regprocedure", 2202, 2207, JsonForm.TEXT);
        add("regoper", 2203, 2208, JsonForm.TEXT);
        add("regoperator", 2204, 2209, JsonForm.TEXT);
        add("regclass", 2205, 2210, JsonForm.TEXT);
        add("regtype", 2206, 2211, JsonForm.TEXT);
        add("cstring", 2275, 1263, JsonForm.TEXT);
        add("uuid", 2950, 2951, JsonForm.TEXT);
        add("txid_snapshot", 2970, 2949, JsonForm.TEXT);
        add("pg_lsn", 3220, 3221, JsonForm.TEXT);
        add("tsvector", 3614, 3643, JsonForm.TEXT);
        add("tsquery", 3615, 3645, JsonForm.TEXT);
        add("gtsvector", 3642, 3644, JsonForm.TEXT);
        add("regconfig", 3734, 3735, JsonForm.TEXT);
        add("regdictionary", 3769, 3770, JsonForm.TEXT);
        add("jsonb", 3802, 3807, JsonForm.JSON);
        add("int4range", 3904, 3905, JsonForm.TEXT);
        add("numrange", 3906, 3907, JsonForm.TEXT);
        add("tsrange", 3908, 3909, JsonForm.TEXT);
        add("tstzrange", 3910, 3911, JsonForm.TEXT);
        add("daterange", 3912, 3913, JsonForm.TEXT);
        add("int8range", 3926, 3927, JsonForm.TEXT);
        add("jsonpath", 4072, 4073, JsonForm.TEXT);
        add("regnamespace", 4089, 4090, JsonForm.TEXT);
        add("regrole", 4096, 4097, JsonForm.TEXT);
        add("regcollation", 4191, 4192, JsonForm.TEXT);
        add("int4multirange", 4451, 6150, JsonForm.TEXT);
        add("nummultirange", 4532, 6151, JsonForm.TEXT);
        add("tsmultirange", 4533, 6152, JsonForm.TEXT);
        add("tstzmultirange", 4534, 6153, JsonForm.TEXT);
        add("datemultirange", 4535, 6155, JsonForm.TEXT);
        add("int8multirange", 4536, 6157, JsonForm.TEXT);
        add("pg_snapshot", 5038, 5039, JsonForm.TEXT);
    }

    private BuiltInTypes() {}

    private static void add(String name, long oid, long arrayOid, JsonForm form) {
        add(name, oid, arrayOid, form, ',');
    }

    private static void add(String name, long oid, long arrayOid, JsonForm form, char delimiter) {
        add(new ColumnType(oid, ColumnType.CATALOG, name, form, (char) 0));
        add(new ColumnType(arrayOid, ColumnType.CATALOG, "_" + name, form, delimiter));
    }

    private static void add(ColumnType type) {
        BY_OID.put(type.oid(), type);
        BY_NAME.put(type.name(), type);
    }

    static @Nullable ColumnType byOid(long oid) {
        return BY_OID.get(oid);
    }

    static @Nullable ColumnType byName(String name) {
        return BY_NAME.get(name);
    }
}
