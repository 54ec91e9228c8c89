/**
 * What the bash of a place is told, and how. Its command stream is a FIFO on descriptor 0, never the terminal; a command's own stdin is the terminal.
 * 1. A command arrives as one quoted word of `eval`, as a group: nothing in it can swallow what follows, and broken syntax runs nothing.
 * 2. After it bash reads the report line, whatever the command did (errors and interrupts lead back to the command stream); only the end of bash itself prevents it.
 * 3. The report goes to a second FIFO that commands don't inherit; the same random id goes to the terminal, only to tell where the output ends. Between commands
 *    bash's own output goes nowhere, so that no prompt which a command set gets into a result.
 */

/** High enough to stay out of the way of scripts. */
const REPORT_FD = 198

/** No core files; 16 GiB for one file; processes and threads (not held for root). No limit of address space: node, java and sanitizers reserve far more than they use. */
const LIMITS = ['-c 0', '-f 16777216', '-u 8192']

/** errexit would end the shell: the trap notes the status and interrupts the command instead. Subshells end by themselves. */
const ERROR_TRAP = `__nuum_t=$?; if [[ $- == *e* && $BASHPID == $$ ]]; then __nuum_e=$__nuum_t; set +e; kill -INT $$; fi`

const FUNCTIONS = [
  '__nuum_prev() { return "${__nuum_s:-0}"; }',
  `__nuum_done() { set +eunvx +o pipefail; [ -z "$__nuum_e" ] || __nuum_s=$__nuum_e; __nuum_e=; \\builtin trap - EXIT INT TERM HUP QUIT TSTP; \\builtin trap ${quoted(ERROR_TRAP)} ERR; set -E; exec >/dev/null 2>/dev/null; \\builtin printf '\\033]7001;%s\\033\\\\' "$1" >/dev/tty; \\builtin printf '%s\\0%s\\0%s\\0\\0' "$1" "$__nuum_s" "$PWD" >&${REPORT_FD}; command -p stty sane -echo -onlcr -ixon </dev/tty 2>/dev/null; }`, // the terminal after the report: nobody waits for it
  `__nuum_env() { command -p env -0 >&${REPORT_FD}; \\builtin printf '%s\\0\\0' "$1" >&${REPORT_FD}; }`,
  'readonly -f __nuum_prev __nuum_done __nuum_env',
]

/** `id` is random for each command and known to nobody before the command ended. The empty line ends whatever else stands in the stream. */
export function commandLines(command: string, id: string): string {
  return `\neval ${quoted(`{ __nuum_prev; ${command}\n}`)} </dev/tty >/dev/tty 2>/dev/tty ${REPORT_FD}>&-\n${reportLines(id)}`
}

/**
 * An empty line first: after broken syntax bash drops the rest of what it had begun to read. Then, quietly and outside of any function (DEBUG and RETURN traps are
 * local to those), what would print between the command and its end.
 */
export function reportLines(id: string): string {
  return `\n{ __nuum_s=$?; \\builtin set +vx; \\builtin trap - DEBUG RETURN; \\builtin unset PROMPT_COMMAND PS0; PS1= PS2=; } >/dev/null 2>&1 #${id}\n__nuum_done ${id}\n`
}

export function startLines(id: string, env: readonly (readonly [name: string, value: string])[]): string {
  const kept = env.map(([name, value]) => `export ${name}=${quoted(value)}`)
  return [
    `exec ${REPORT_FD}>&8 8>&-`,
    'set +o history +H',
    ...LIMITS.map((limit) => `ulimit ${limit} 2>/dev/null || :`),
    'echo 500 2>/dev/null >/proc/self/oom_score_adj || :', // when memory runs out these go first, not what the person works with
    'shopt -s extglob checkwinsize',
    ...FUNCTIONS,
    ...kept,
    'command -p stty sane -echo -onlcr -ixon </dev/tty',
    reportLines(id),
  ].join('\n')
}

export function environmentLines(id: string): string {
  return `\n__nuum_env ${id} 2>/dev/null\n`
}

/** What bash prints of these lines when `set -v` was on. */
export function echoOfReport(id: string): RegExp {
  return new RegExp(`\\n?\\{ __nuum_s=[^\\n]*#${id}\\n$`)
}

export function outputEnd(id: string): string {
  return `\x1b]7001;${id}\x1b\\`
}

/** Descriptor 8 is the report, 0 the command stream; PTY libraries pass no other descriptors on, so a plain `sh` opens them by name. */
export function startScript(kind: 'bubblewrap' | 'seatbelt' | 'none'): string {
  const bash = '"$1" --noprofile --norc --noediting -i'
  if (kind === 'bubblewrap') return `exec "$4" --args 3 -- ${bash} <"$2" 8>"$3" 3<"$5"`
  return kind === 'seatbelt' ? `exec "$4" -f "$5" ${bash} <"$2" 8>"$3"` : `exec ${bash} <"$2" 8>"$3"`
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
