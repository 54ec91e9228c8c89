import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { type Sandbox, loadPty, probeSandbox } from '@nuum/sandbox'
import type { ShellOutcome } from '@nuum/tools'
import { allPids, readOrNull } from './processes.ts'
import { type Shells, createShells } from './shells.ts'

const found = await probeSandbox()
const plain: Sandbox = { ...found, bwrap: null, sandboxExec: null, state: { available: false, kind: 'none', detail: 'switched off for this test' } }
const spawnPty = await loadPty()
const noBash = found.bash === null || process.platform === 'win32' ? 'no bash in the system folders' : false
const noSandbox = found.bwrap === null ? `no bubblewrap: ${found.state.detail} ${found.state.mend ?? ''}` : noBash
if (noSandbox !== false) console.error(`SKIPPED: shells in the sandbox are not tested here: ${noSandbox}`)

type Bench = {
  shells: Shells
  zones: Zones
  base: string
  run: (
    command: string,
    more?: { timeoutMs?: number; signal?: AbortSignal; zones?: Zones; onOutput?: (text: string) => void },
  ) => Promise<ShellOutcome>
}

function bench(sandbox: Sandbox, inputSilenceMs?: number): Bench & { close: () => Promise<void> } {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-shell-')))
  for (const name of ['scratch', 'spool', 'outside']) fs.mkdirSync(join(base, name))
  fs.writeFileSync(join(base, 'outside/secret'), 'OUTSIDE-SECRET\n')
  const zones: Zones = {
    place: 'a_1',
    cwd: join(base, 'scratch'),
    rooms: [{ path: join(base, 'scratch'), access: 'rw', trusted: true, kind: 'scratch' }],
    denied: [],
    shellHome: join(base, 'scratch/.home'),
    spool: join(base, 'spool'),
    mode: 'auto',
  }
  const env = { ...process.env, ANTHROPIC_API_KEY: 'sk-ant-canary', MY_TOKEN: 'canary-token' }
  const shells = createShells({
    spawnPty,
    sandbox,
    userHome: join(base, 'home'),
    env,
    newId: () => randomBytes(16).toString('hex'),
    ...(inputSilenceMs === undefined ? {} : { inputSilenceMs }),
  })
  return {
    shells,
    zones,
    base,
    run: (command, more = {}) =>
      shells.run(more.zones ?? zones, command, {
        timeoutMs: more.timeoutMs ?? 20_000,
        onOutput: more.onOutput ?? (() => {}),
        signal: more.signal ?? new AbortController().signal,
        spoolFile: join(base, 'spool/out'),
      }),
    close: async () => {
      await shells.closeAll()
      fs.rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Processes that carry this mark in their environment or command line, wherever they went. */
function marked(mark: string): number[] {
  return allPids().filter((pid) => pid !== process.pid && `${readOrNull(`/proc/${pid}/environ`)}${readOrNull(`/proc/${pid}/cmdline`)}`.includes(mark))
}

for (const [name, sandbox, skip] of [
  ['in the sandbox', found, noSandbox],
  ['without a sandbox', plain, noBash],
] as const) {
  describe(`a shell ${name}`, { skip, concurrency: false }, () => {
    const place = bench(sandbox)
    after(place.close)
    const { run } = place
    const says = async (command: string, output: string, exitCode: number | null = 0): Promise<void> => {
      const { output: got, exitCode: code } = await run(command)
      assert.deepEqual({ output: got.trim(), code }, { output, code: exitCode }, command)
    }

    test('D3: a command without output ends at once, with its code', async () => {
      await says('true', '')
      await says('false', '', 1)
      await says('(exit 7)', '', 7)
      await says('echo $?', '7')
    })

    test('D6: directory, variables, functions, aliases stay', async () => {
      await run('mkdir -p build; cd build; export A=1; B=2; f() { echo "f $1"; }; alias hi="echo aliased"; declare -A m; m[x]=y')
      await says('pwd; echo $A $B; f z; hi; echo ${m[x]}', `${place.zones.cwd}/build\n1 2\nf z\naliased\ny`)
      await run('cd ..')
    })

    test('options, traps and redirections of a command do not leak into the next one', async () => {
      await says('set -e; false; echo not-reached', '', 1)
      await says('set -uo pipefail\necho "$UNSET_NAME"\necho not-reached', 'bash: UNSET_NAME: unbound variable', 1)
      await says('g() { false; echo bad; }; set -e; g; echo worse', '', 1)
      await says('set -euo pipefail; true | true; echo fine', 'fine')
      await says('set -o | grep -cE "(errexit|nounset|pipefail|noexec|xtrace) +.*on"', '0', 1)
      await says('exec >/dev/null 2>&1; echo lost', '')
      await says('echo back; echo too >&2', 'back\ntoo')
      await says('exec </dev/null; trap "echo bye" EXIT; trap "echo debug" DEBUG; set -n', 'debug')
      await says('[ -t 0 ] && echo terminal', 'terminal')
      await run('set -x; true')
      await run('set -v; true')
      await says('echo clean', 'clean')
      await run('stty raw; stty echo')
      await says('printf "a\\nb\\n"', 'a\nb')
    })

    test('no prompt that a command set gets into a result', async () => {
      assert.equal((await place.run('PS0=zero; PS1="(v) "; PS2="two "; PROMPT_COMMAND="echo pc"; echo one')).output, 'one\n')
      assert.equal((await place.run('cat <<X\na\nX')).output, 'a\n')
      assert.equal((await place.run('echo "[$PROMPT_COMMAND$PS0$PS1$PS2]"')).output, '[]\n')
      fs.writeFileSync(join(place.zones.cwd, 'activate'), '_OLD_VIRTUAL_PS1="${PS1:-}"\nPS1="(v) ${PS1:-}"\nexport PS1\n')
      assert.equal((await place.run('source ./activate; echo one')).output, 'one\n')
      assert.equal((await place.run('echo two')).output, 'two\n')
    })

    test('limits hold for files and core dumps, and common programs run within them', async () => {
      assert.equal((await place.run('ulimit -c; ulimit -f; ulimit -Hf')).output, '0\n16777216\n16777216\n')
      const { output } = await place.run(`ulimit -u; python3 -c "import threading; [t.start() for t in [threading.Thread(target=print, args=(1,))]]"`)
      assert.match(output, /^\d+\n1\n$/)
    })

    test('D5: heredocs, open quotes and stray brackets can’t swallow what follows', async () => {
      await says("cat - <<'EOF'\none\nEOF", 'one')
      await says("cat - <<'EOF'\none\nEOF\n", 'one')
      for (const broken of [
        "cat <<'EOF'\nnever ended",
        'cat <<EOF\n  EOF\n',
        'echo "open',
        "echo 'open",
        'echo `open',
        'echo $(open',
        ')',
        '}',
        'if true',
        '{ echo',
        'echo \\',
      ]) {
        const outcome = await run(broken)
        assert.equal(outcome.note, null, broken)
        await says('echo next', 'next')
      }
      await says('echo "}"; echo \'{ __nuum_done 1; }\'', '}\n{ __nuum_done 1; }')
      await says(
        'break; continue; return 3; echo on',
        "bash: break: only meaningful in a `for', `while', or `until' loop\nbash: continue: only meaningful in a `for', `while', or `until' loop\nbash: return: can only `return' from a function or sourced script\non",
      )
    })

    test('D1: background children do not hold a command open, and live on', async () => {
      for (const command of [
        'sleep 600 &',
        'setsid sleep 600 >/dev/null 2>&1 &',
        'nohup sleep 600 >/dev/null 2>&1 &',
        '(sleep 600; echo x) & disown',
        'sleep 600 & echo started',
      ]) {
        const outcome = await run(command, { timeoutMs: 15_000 })
        assert.equal(outcome.note, null, command)
        assert.equal(outcome.exitCode, 0, command)
      }
      assert.match((await run('jobs')).output, /Running/)
      const now = await run('(sleep 0.2; echo from-the-background) & sleep 0.01')
      const later = await run('sleep 0.4; echo foreground')
      assert.match(now.output + later.output, /from-the-background[^]*foreground/)
    })

    test('D4: the end of the shell is told, and the next command has a new one', async () => {
      await run('sleep 600 & export GONE=1')
      for (const [command, code] of [
        ['exit 42', 42],
        ['exit 42 || true', 42],
        ['kill -9 $$', 137],
        ['exec true', 0],
        ['exec false', 1],
      ] as const) {
        const outcome = await run(command)
        assert.equal(outcome.exitCode, code, command)
        assert.equal(outcome.note, `shell ended with code ${code}; its state was reset`)
        await says('pwd; echo "[$GONE]"', `${place.zones.cwd}\n[]`)
      }
    })

    test('the time limit ends the foreground, whatever it ignores, and the shell goes on', async () => {
      await run('export KEPT=yes; cd /usr')
      for (const command of [
        'sleep 600; echo not-reached',
        'while :; do sleep 0.05; done',
        'while :; do :; done',
        "trap '' INT TERM; sleep 600",
        'bash -c \'trap "" INT TERM HUP; while :; do sleep 1; done\'',
        'sleep 600 | cat',
        'cat | sleep 600',
        'wait; sleep 600',
        'read line',
      ]) {
        const outcome = await run(command, { timeoutMs: 300 })
        assert.equal(outcome.exitCode, null, command)
        assert.match(outcome.note ?? '', /^timed out after 0.3 s and was ended/, command)
        assert.doesNotMatch(outcome.output, /not-reached/)
      }
      await says('pwd; echo $KEPT', '/usr\nyes')
      await run(`cd ${place.zones.cwd}`)
    })

    test('a stop ends the command, and one that was stopped before never starts', async () => {
      const stop = new AbortController()
      const running = run('echo begun; sleep 600', { signal: stop.signal, onOutput: () => stop.abort() })
      assert.match((await running).note ?? '', /stopped/)
      const outcome = await run('touch never', { signal: stop.signal })
      assert.equal(outcome.note, 'stopped before it began')
      assert.equal(fs.existsSync(join(place.zones.cwd, 'never')), false)
    })

    test('output is streamed, whole characters only; escape sequences and NULs are kept from the model', async () => {
      let live = ''
      const text = '你好世界 👩‍👩‍👧 é'.repeat(3000)
      fs.writeFileSync(join(place.zones.cwd, 'cjk.txt'), text)
      const outcome = await run('cat cjk.txt', { onOutput: (chunk) => (live += chunk) })
      assert.equal(live.replace(/\r/g, ''), text)
      assert.equal(outcome.output, text)
      await says("printf '\\033[31mred\\033[0m \\033]0;title\\007plain\\n10%%\\r100%%\\nx\\0\\0y\\n'", 'red plain\n100%\nx[2 NUL]y')
      await says('head -c 9000 /dev/zero; sleep 0.05; head -c 1000 /dev/zero; echo; head -c 3 /dev/zero', '[10000 NUL]\n[3 NUL]')
    })

    test('two commands of one place run one after the other', async () => {
      const [a, b] = await Promise.all([run('sleep 0.2; echo first'), run('echo second')])
      assert.deepEqual([a.output, b.output], ['first\n', 'second\n'])
    })

    test('no pager, no prompt, no editor, and no key of the person in the environment (G4)', async () => {
      const env = (await run('env')).output
      assert.doesNotMatch(env, /canary/)
      for (const wanted of ['GIT_PAGER=cat', 'PAGER=cat', 'GIT_TERMINAL_PROMPT=0', 'CI=1', `HOME=${place.zones.shellHome}`])
        assert.ok(env.includes(`${wanted}\n`), wanted)
      await says('tty >/dev/null && echo on-a-terminal', 'on-a-terminal')
    })

    test('resize reaches the terminal', async () => {
      place.shells.resize('a_1', 133, 41)
      await says('stty size', '41 133')
    })

    test('a long command arrives whole', async () => {
      const outcome = await run(`x='${'a'.repeat(300_000)}'; echo \${#x}`)
      assert.equal(outcome.output, '300000\n')
    })
  })

  describe(`a busy shell ${name}`, { skip }, () => {
    test('D8: the end of a long output is kept', async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      const outcome = await place.run('seq 1 60000; echo FAILED test_x; (exit 1)')
      assert.equal(outcome.exitCode, 1)
      assert.match(outcome.output, /^1\n2\n[^]*characters left out[^]*60000\nFAILED test_x\n$/)
      assert.ok(outcome.cut !== null)
      const whole = fs.readFileSync(outcome.cut.file, 'utf8')
      assert.equal(whole, `${Array.from({ length: 60_000 }, (_, at) => `${at + 1}\n`).join('')}FAILED test_x\n`)
    })

    test('D7: 100 MB of output costs bounded memory', async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      await place.run('true')
      const before = process.memoryUsage.rss()
      let peak = before
      const sizeBytes = sandbox === found || found.bwrap === null ? 100_000_000 : 10_000_000
      const outcome = await place.run(`yes | head -c ${sizeBytes}`, {
        timeoutMs: 100_000,
        onOutput: () => (peak = Math.max(peak, process.memoryUsage.rss())),
      })
      assert.equal(outcome.exitCode, 0)
      assert.equal(outcome.cut?.sizeBytes, sizeBytes)
      assert.ok(outcome.output.length < 300_000)
      assert.ok(Math.max(peak, process.memoryUsage.rss()) - before < 250_000_000)
      const zeros = await place.run('head -c 5000000 /dev/zero', { timeoutMs: 60_000 })
      assert.equal(zeros.exitCode, 0)
      assert.doesNotMatch(zeros.output, /\0/)
    })

    test('after 200 commands no descriptor and no process is left over', {
      skip: process.platform === 'linux' ? false : 'needs /proc',
    }, async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      await place.run('true')
      const open = fs.readdirSync('/proc/self/fd').length
      for (let at = 0; at < 200; at++) assert.equal((await place.run(at % 3 === 0 ? 'true | cat' : 'x=1')).exitCode, 0)
      assert.equal(fs.readdirSync('/proc/self/fd').length, open)
    })

    test('daemons do not outlive their shell', { skip: process.platform === 'linux' ? false : 'needs /proc' }, async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      const mark = `86${Math.floor(Math.random() * 1e9)}`
      await place.run(`sleep ${mark} & setsid sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 & disown) ; sleep 0.1`)
      assert.ok(marked(mark).length >= 3)
      await place.shells.close('a_1')
      for (let at = 0; at < 50 && marked(mark).length > 0; at++) await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepEqual(marked(mark), [])
    })

    test('shells opened and closed leave no descriptor behind', { skip: process.platform === 'linux' ? false : 'needs /proc' }, async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      const cycle = async (): Promise<void> => {
        await place.run('true')
        await place.shells.close('a_1')
      }
      await cycle()
      await new Promise((resolve) => setTimeout(resolve, 300))
      const open = fs.readdirSync('/proc/self/fd').length
      for (let at = 0; at < 5; at++) await cycle()
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.equal(fs.readdirSync('/proc/self/fd').length, open)
      assert.deepEqual(fs.readdirSync(place.zones.spool), [])
    })

    test('changed folders start a new shell that keeps directory and exported variables, and say so', async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      await place.run("mkdir in; cd in; export KEPT=\"it's\"$'\\n'kept; plain=gone")
      const granted = join(place.base, 'outside')
      const zones: Zones = { ...place.zones, rooms: [...place.zones.rooms, { path: granted, access: 'ro', trusted: false, kind: 'grant' }] }
      const outcome = await place.run('pwd; echo "$KEPT[$plain]"', { zones })
      assert.equal(outcome.output, `${place.zones.cwd}/in\nit's\nkept[]\n`)
      assert.match(outcome.note ?? '', /^the folders of this shell changed/)
      assert.equal((await place.run(`cat ${granted}/secret`, { zones })).output, 'OUTSIDE-SECRET\n')
      assert.equal((await place.run('echo x', { zones })).note, null)
    })

    test('D2: a program that waits for keys is recognised and ended with a hint', {
      skip: process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) ? false : 'only Linux tells what a process waits for',
    }, async (t) => {
      const place = bench(sandbox, 600)
      t.after(place.close)
      for (const command of ['read answer', 'cat', 'cat | tail -2', 'bash -c "read x </dev/tty"']) {
        const outcome = await place.run(command, { timeoutMs: 60_000 })
        assert.match(outcome.note ?? '', /^ended after \d+ s without output: it was waiting for input/, command)
        assert.equal(outcome.exitCode, null)
      }
      const busy = await place.run('sleep 2; echo fine') // silent, but it waits for nobody
      assert.deepEqual([busy.output, busy.note], ['fine\n', null])
    })

    test('an answer typed by the person reaches the program', async (t) => {
      const place = bench(sandbox)
      t.after(place.close)
      assert.equal(place.shells.write('a_1', 'nobody is there\n'), false)
      const outcome = await place.run('printf "name? "; read name; echo "hello $name"', {
        onOutput: (text) => text.includes('?') && void place.shells.write('a_1', 'Ada\n'),
      })
      assert.equal(outcome.output, 'name? hello Ada\n')
    })
  })
}
