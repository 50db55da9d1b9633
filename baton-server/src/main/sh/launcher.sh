# What starts Baton's Java, for the launcher of a source checkout and that of the distribution. To be sourced; a function
# that fails says so in one sentence and exits with 78.

fail() {
  printf 'baton: %s\n' "$1" >&2
  exit 78
}

# A program (java or javac) of Java 17 or later: JAVA_HOME's, the one on the PATH, or one in a usual place.
find_java() {
  for candidate in "${JAVA_HOME:-/nonexistent}/bin/$1" "$(command -v "$1" || true)" \
    /usr/lib/jvm/*/bin/"$1" /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/"$1"; do
    [ -x "$candidate" ] || continue
    # Reading the release file is fast; asking the program itself would start a JVM.
    home=$(dirname "$(dirname "$(readlink -f "$candidate")")")
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null || true)
    [ -n "$version" ] || version=$("$candidate" -version 2>&1 | sed -n 's/^[a-z]* \(version \)\{0,1\}"\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
    if [ "${version:-0}" -ge 17 ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

# The options of the JVM for a command.
java_flags() {
  # An archive of another Java is no error; it is ignored.
  flags="-Xshare:auto -Xlog:disable -Xlog:all=error,cds*=off:stderr"
  # Most commands end before the optimising compiler would pay off; a server runs for days.
  [ "${1:-}" = serve ] || flags="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC $flags"
  printf '%s\n' "$flags"
}

# Becomes the JVM: start_java JAVA FLAGS CLASS_ARCHIVE CLASS_PATH MAIN [argument …]
start_java() {
  java=$1 flags=$2 archive=$3 class_path=$4
  shift 4

  # In a locale without an encoding, such as cron's, Java would turn every umlaut into a question mark. 'lead' restores
  # the old locale for its command.
  if [ "$(locale charmap 2>/dev/null)" = ANSI_X3.4-1968 ]; then
    export BATON_LC_ALL="${LC_ALL:-}" LC_ALL=C.UTF-8
  fi

  [ -t 0 ] && terminal="-Dbaton.terminal.input=true" || terminal=""
  [ -t 1 ] && terminal="$terminal -Dbaton.terminal.output=true"

  set -f # the flags are lists of words, but not of file names
  # shellcheck disable=SC2086
  exec "$java" $flags ${archive:+"-XX:SharedArchiveFile=$archive"} -Dbaton.home="$here" $terminal ${BATON_JAVA_OPTS:-} \
    -cp "$class_path" "$@"
}
