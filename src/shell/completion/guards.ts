/** Of kubectl's flags those that stand before a command with their value behind a blank. */
const withValue = [
  ...['-n', '--namespace', '-s', '--server', '--context', '--cluster', '--user', '--kubeconfig'],
  ...['--token', '--as', '--as-group', '--as-uid', '--as-user-extra', '--request-timeout', '-v'],
  ...['--certificate-authority', '--client-certificate', '--client-key', '--tls-server-name'],
  ...['--cache-dir', '--kuberc', '--log-flush-frequency', '--profile', '--profile-output'],
  ...['--username', '--password', '--vmodule'],
];

/** With these, kubectl deletes nothing that could be previewed. */
const unguarded = ['--raw', '--raw=*', '--dry-run', '--dry-run=*', '-h', '--help'];

const guardHeader =
  '# What is deleted on a terminal is previewed, asked about and backed up; all else goes to kubectl.';

const posix = `${guardHeader}
kubectl() {
  local word verb= skips=
  if [ -t 0 ] && [ -t 1 ] && command -v kubectl-gc > /dev/null; then
    for word in "$@"; do
      if [ "$skips" ]; then skips=; continue; fi
      case $word in
        ${unguarded.join(' | ')})
          verb=other
          break ;;
        ${withValue.join(' | ')})
          [ "$verb" ] || skips=1 ;;
        -*) ;;
        *) verb=\${verb:-$word} ;;
      esac
    done
    if [ "$verb" = delete ]; then
      command kubectl-gc "$@"
      return
    fi
  fi
  command kubectl "$@"
}
`;

const fish = `${guardHeader}
function kubectl
    if isatty stdin; and isatty stdout; and command -q kubectl-gc
        set -l verb ''
        set -l skips ''
        for word in $argv
            if test -n "$skips"
                set skips ''
                continue
            end
            switch $word
                case ${unguarded.map((flag) => `'${flag}'`).join(' ')}
                    set verb other
                    break
                case ${withValue.join(' ')}
                    test -n "$verb"; or set skips 1
                case '-*'
                case '*'
                    test -n "$verb"; or set verb $word
            end
        end
        if test "$verb" = delete
            command kubectl-gc $argv
            return
        end
    end
    command kubectl $argv
end
`;

/** A function for the configuration of each shell that stands before kubectl. */
export const guards = { bash: posix, zsh: posix, fish } as const;
