package org.pgbaton.capture.pgoutput;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's own types, which the stream does not name. Only those are here that have an array or are not plain text; their numbers
 * never change.
 */
final class BuiltInTypes {
    private static final Map<Long, ColumnType> BY_OID = new HashMap<>();
    private static final Map<String, ColumnType> BY_NAME = new HashMap<>();

    static {
        add("bool", 16, 1000, Form.BOOLEAN);
        add("bytea", 17, 1001, Form.BYTES);
        add("char", 18, 1002, Form.TEXT);
        add("name", 19, 1003, Form.TEXT);
        add("int8", 20, 1016, Form.NUMBER);
        add("int2", 21, 1005, Form.NUMBER);
        add("int2vector", 22, 1006, Form.TEXT);
        add("int4", 23, 1007, Form.NUMBER);
        add("regproc", 24, 1008, Form.TEXT);
        add("text", 25, 1009, Form.TEXT);
        add("oid", 26, 1028, Form.NUMBER);
        add("tid", 27, 1010, Form.TEXT);
        add("xid", 28, 1011, Form.TEXT);
        add("cid", 29, 1012, Form.TEXT);
        add("oidvector", 30, 1013, Form.TEXT);
        add("json", 114, 199, Form.JSON);
        add("xml", 142, 143, Form.TEXT);
        add("xid8", 5069, 271, Form.TEXT);
        add("point", 600, 1017, Form.TEXT);
        add("lseg", 601, 1018, Form.TEXT);
        add("path", 602, 1019, Form.TEXT);
        add("box", 603, 1020, Form.TEXT, ';');
        add("polygon", 604, 1027, Form.TEXT);
        add("line", 628, 629, Form.TEXT);
        add("cidr", 650, 651, Form.TEXT);
        add("float4", 700, 1021, Form.NUMBER);
        add("float8", 701, 1022, Form.NUMBER);
        add("circle", 718, 719, Form.TEXT);
        add("macaddr8", 774, 775, Form.TEXT);
        add("money", 790, 791, Form.TEXT);
        add("macaddr", 829, 1040, Form.TEXT);
        add("inet", 869, 1041, Form.TEXT);
        add("aclitem", 1033, 1034, Form.TEXT);
        add("bpchar", 1042, 1014, Form.TEXT);
        add("varchar", 1043, 1015, Form.TEXT);
        add("date", 1082, 1182, Form.DATE);
        add("time", 1083, 1183, Form.TEXT);
        add("timestamp", 1114, 1115, Form.TIMESTAMP);
        add("timestamptz", 1184, 1185, Form.TIMESTAMPTZ);
        add("interval", 1186, 1187, Form.TEXT);
        add("timetz", 1266, 1270, Form.TIMETZ);
        add("bit", 1560, 1561, Form.TEXT);
        add("varbit", 1562, 1563, Form.TEXT);
        add("numeric", 1700, 1231, Form.NUMBER);
        add("refcursor", 1790, 2201, Form.TEXT);
        add("regprocedure", 2202, 2207, Form.TEXT);
        add("regoper", 2203, 2208, Form.TEXT);
        add("regoperator", 2204, 2209, Form.TEXT);
        add("regclass", 2205, 2210, Form.TEXT);
        add("regtype", 2206, 2211, Form.TEXT);
        add("cstring", 2275, 1263, Form.TEXT);
        add("uuid", 2950, 2951, Form.TEXT);
        add("txid_snapshot", 2970, 2949, Form.TEXT);
        add("pg_lsn", 3220, 3221, Form.TEXT);
        add("tsvector", 3614, 3643, Form.TEXT);
        add("tsquery", 3615, 3645, Form.TEXT);
        add("gtsvector", 3642, 3644, Form.TEXT);
        add("regconfig", 3734, 3735, Form.TEXT);
        add("regdictionary", 3769, 3770, Form.TEXT);
        add("jsonb", 3802, 3807, Form.JSON);
        add("int4range", 3904, 3905, Form.TEXT);
        add("numrange", 3906, 3907, Form.TEXT);
        add("tsrange", 3908, 3909, Form.TEXT);
        add("tstzrange", 3910, 3911, Form.TEXT);
        add("daterange", 3912, 3913, Form.TEXT);
        add("int8range", 3926, 3927, Form.TEXT);
        add("jsonpath", 4072, 4073, Form.TEXT);
        add("regnamespace", 4089, 4090, Form.TEXT);
        add("regrole", 4096, 4097, Form.TEXT);
        add("regcollation", 4191, 4192, Form.TEXT);
        add("int4multirange", 4451, 6150, Form.TEXT);
        add("nummultirange", 4532, 6151, Form.TEXT);
        add("tsmultirange", 4533, 6152, Form.TEXT);
        add("tstzmultirange", 4534, 6153, Form.TEXT);
        add("datemultirange", 4535, 6155, Form.TEXT);
        add("int8multirange", 4536, 6157, Form.TEXT);
        add("pg_snapshot", 5038, 5039, Form.TEXT);
    }

    private BuiltInTypes() {}

    private static void add(String name, long oid, long arrayOid, Form form) {
        add(name, oid, arrayOid, form, ',');
    }

    private static void add(String name, long oid, long arrayOid, Form form, char delimiter) {
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
