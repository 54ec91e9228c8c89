import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { loadPty, probeSandbox } from '@nuum/sandbox'
import { createShells } from './shells.ts'

const sandbox = await probeSandbox()
const spawnPty = await loadPty()
const skip = sandbox.bwrap === null ? `no bubblewrap: ${sandbox.state.detail} ${sandbox.state.mend ?? ''}` : false
if (skip !== false) console.error(`SKIPPED: the mounts of the sandbox are not tried here: ${skip}`)

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-confined-')))
const at = (...parts: string[]): string => join(base, ...parts)
const SECRET = `CANARY-${randomBytes(8).toString('hex')}`
const zones: Zones = {
  place: 'a_1',
  cwd: at('home/.nuum/agents/a_1/scratch'),
  shellHome: at('home/.nuum/agents/a_1/scratch/.home'),
  spool: at('home/.nuum/tmp'),
  mode: 'auto',
  rooms: [
    { path: at('home/.nuum/agents/a_1/scratch'), access: 'rw', trusted: true, kind: 'scratch' },
    { path: at('grant'), access: 'rw', trusted: true, kind: 'grant' },
    { path: at('docs'), access: 'ro', trusted: false, kind: 'grant' },
  ],
  denied: [at('home/.nuum'), at('grant/closed')],
}

describe('a confined shell', { skip, concurrency: false }, () => {
  const shells = createShells({
    spawnPty,
    sandbox,
    userHome: at('home'),
    env: { ...process.env, OPENAI_API_KEY: SECRET, SSH_AUTH_SOCK: '/tmp/agent.sock', DBUS_SESSION_BUS_ADDRESS: SECRET },
    newId: () => randomBytes(16).toString('hex'),
  })
  const run = (command: string, of = zones) =>
    shells.run(of, command, {
      timeoutMs: 20_000,
      onOutput: () => {},
      signal: new AbortController().signal,
      confirm: async () => ({ allowed: true }),
    })
  let server: ReturnType<typeof createServer>
  let socketServer: ReturnType<typeof createServer>
  let port = 0

  before(async () => {
    for (const folder of [
      'home/.nuum/agents/a_1/scratch',
      'home/.nuum/agents/a_1/memory',
      'home/.nuum/agents/a_2/scratch',
      'home/.nuum/tmp',
      'home/.ssh',
      'home/.cargo/bin',
      'grant/closed',
      'grant/sub',
      'docs',
      'outside',
    ])
      fs.mkdirSync(at(folder), { recursive: true })
    for (const file of [
      'home/.nuum/secrets.bin',
      'home/.nuum/host.lock',
      'home/.nuum/agents/a_1/memory/journal.jsonl',
      'home/.nuum/agents/a_1/transcript.jsonl',
      'home/.nuum/agents/a_2/scratch/x',
      'home/.ssh/id',
      'home/notes',
      'grant/closed/x',
      'outside/x',
    ])
      fs.writeFileSync(at(file), `${SECRET}\n`)
    fs.writeFileSync(at('docs/readme'), 'DOCS\n')
    execFileSync('git', ['init', '-q', at('grant')])
    execFileSync('git', ['init', '-q', at('grant/sub')])
    fs.writeFileSync(at('grant/file'), 'GRANTED\n')
    fs.symlinkSync(at('outside'), at('grant/out'))
    server = createServer((socket) => socket.end(SECRET)).listen(0, '127.0.0.1')
    socketServer = createServer((socket) => socket.end(SECRET)).listen(at('docs/sock'))
    await Promise.all([server, socketServer].map((one) => new Promise((resolve) => (one.listening ? resolve(null) : one.once('listening', resolve)))))
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  after(async () => {
    await shells.closeAll()
    server.close()
    socketServer.close()
    fs.rmSync(base, { recursive: true, force: true })
  })

  test('the allowed neighbour works: own room, grants, programs', async () => {
    const { output, exitCode } = await run(
      `echo mine > f && cat f && cat ${at('docs/readme')} ${at('grant/file')} && echo new > ${at('grant/new')} && mkdir -p ${at('grant/a/b')} && ls /usr/bin/env && echo x > /tmp/t && cat /tmp/t && pwd`,
    )
    assert.equal(output, `mine\nDOCS\nGRANTED\n/usr/bin/env\nx\n${zones.cwd}\n`)
    assert.equal(exitCode, 0)
    assert.equal(fs.readFileSync(at('grant/new'), 'utf8'), 'new\n')
  })

  test('nothing that was not given can be read, by any way', async () => {
    const places = [
      'home/.nuum/secrets.bin',
      'home/.nuum/host.lock',
      'home/.nuum/agents/a_1/memory/journal.jsonl',
      'home/.nuum/agents/a_1/transcript.jsonl',
      'home/.nuum/agents/a_2/scratch/x',
      'home/.ssh/id',
      'home/notes',
      'grant/closed/x',
      'outside/x',
      'grant/out/x',
    ]
    const ways = places.flatMap((place) => [
      `cat ${at(place)}`,
      `cat < ${at(place)}`,
      `cp ${at(place)} stolen && cat stolen`,
      `ln ${at(place)} hard && cat hard`,
      `ln -sf ${at(place)} soft && cat soft`,
      `cat /proc/1/root${at(place)}`,
      `cat /proc/self/root${at(place)}`,
      `(cd $(dirname ${at(place)}) && cat $(basename ${at(place)}))`,
      `exec 9<${at(place)} && cat <&9`,
      `tar cf - ${at(place)} | tar xOf -`,
    ])
    const more = [
      'cat /etc/shadow',
      'cat /proc/1/environ',
      'cat /proc/*/environ',
      'cat /proc/1/cmdline',
      'env',
      `ls -laR ${at('home')}`,
      'cat /proc/self/mountinfo | grep -v x',
      'ls /sys/kernel',
      'cat /run/*',
      'ls -la /dev/mem /dev/sd* /dev/vd* /dev/kmsg',
    ]
    for (const command of [...ways, ...more]) {
      const { output } = await run(`{ ${command}; } 2>&1`)
      assert.ok(!output.includes(SECRET), `${command}: ${output}`)
      assert.doesNotMatch(output, /^root:[^x*!]/m, command)
    }
    assert.equal((await run(`grep -rls ${SECRET} ${base} /tmp /var /run /home /root /etc | wc -l`)).output.trim(), '0')
  })

  test('nothing that was not given can be written, removed or moved', async () => {
    const ways = ['home/notes', 'home/.nuum/secrets.bin', 'outside/x', 'docs/readme', 'grant/closed/x', 'grant/out/x'].flatMap((place) => [
      `echo EVIL > ${at(place)}`,
      `rm -f ${at(place)}`,
      `mv ${at(place)} ./taken`,
      `touch ${at(place)}.new`,
      `chmod 777 ${at(place)}`,
      `ln -f f ${at(place)}`,
    ])
    for (const command of [
      ...ways,
      'touch /usr/bin/evil',
      'touch /etc/evil',
      'touch /evil',
      `mv ${at('grant')} ${at('moved')}`,
      `rm -rf ${at('home')}`,
      'mount -t tmpfs x /usr',
      `umount ${at('grant/closed')}`,
      'mount -o remount,rw /',
      'unshare -rm true && echo ESCAPED',
      'mknod dev b 8 0 && echo ESCAPED',
      'chroot / true && echo ESCAPED',
      'nsenter -t 1 -m true && nsenter -t 1 -p ls',
      'sysctl -w kernel.hostname=evil',
    ]) {
      const { output } = await run(`{ ${command}; } 2>&1`)
      assert.doesNotMatch(output.replaceAll(command, ''), /^ESCAPED/m, command)
    }
    for (const file of ['home/.nuum/secrets.bin', 'home/notes', 'outside/x', 'grant/closed/x'])
      assert.equal(fs.readFileSync(at(file), 'utf8'), `${SECRET}\n`, file)
    assert.equal(fs.readFileSync(at('docs/readme'), 'utf8'), 'DOCS\n')
    assert.deepEqual(fs.readdirSync(at('outside')), ['x'])
    assert.deepEqual(
      [fs.existsSync('/usr/bin/evil'), fs.existsSync('/etc/evil'), fs.existsSync('/evil'), fs.existsSync(at('moved'))],
      [false, false, false, false],
    )
  })

  test('G3: what makes git run programs can’t be changed; commits work', async () => {
    const repository = at('grant')
    const commit = await run(
      `cd ${repository} && git -c user.name=A -c user.email=a@b add file && git -c user.name=A -c user.email=a@b commit -qm one && git log --oneline | wc -l; cd ${zones.cwd}`,
    )
    assert.equal(commit.output.trim(), '1')
    const before = fs.readFileSync(at('grant/.git/config'), 'utf8')
    for (const command of [
      'git config core.fsmonitor "touch /tmp/pwn"',
      'echo x >> .git/config',
      'echo x > .git/hooks/post-checkout',
      'rm -rf .git/hooks',
      'mv .git .git2',
      'rm -rf .git',
      'mv .git/config .git/c2',
      'ln -sf /tmp .git/hooks',
      'echo x > sub/.git/hooks/pre-commit',
      'echo x >> sub/.git/config',
    ]) {
      assert.notEqual((await run(`(cd ${repository} && ${command})`)).exitCode, 0, command)
    }
    assert.equal(fs.readFileSync(at('grant/.git/config'), 'utf8'), before)
    assert.ok(!fs.readdirSync(at('grant/.git/hooks')).some((name) => !name.endsWith('.sample')))
  })

  test('a link put in the place of .git/hooks carries nothing in', async () => {
    const evil = at('grant/evil/.git')
    await run(
      `mkdir -p ${evil}/info && ln -s ${at('home/.ssh')} ${evil}/hooks && ln -s ${at('home/notes')} ${evil}/config && ln -s ${at('outside')} ${at('grant/sub2')}; ln -s ${at('outside')} ${evil}/modules`,
    )
    await shells.close('a_1')
    const { output } = await run(`cat ${evil}/hooks/id ${evil}/config ${evil}/modules/x ${at('home/.ssh/id')} 2>&1`)
    assert.ok(!output.includes(SECRET), output)
  })

  test('no network: neither the host’s loopback nor names nor unix sockets', async () => {
    const { output } = await run(
      `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3) 2>&1; (exec 3<>/dev/tcp/localhost/${port} && cat <&3) 2>&1; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('/run/dbus/system_bus_socket'); print(s.recv(99))" 2>&1; getent hosts example.org; cat /proc/net/dev | grep -c eth`,
    )
    assert.ok(!output.includes(SECRET), output)
    assert.match(output, /refused|unreachable|Network/i)
  })

  test('read-only mode holds by mounts', async () => {
    const of: Zones = { ...zones, place: 'a_ro', mode: 'read-only' }
    const { output, exitCode } = await run(`cat ${at('grant/file')}; echo x > ${at('grant/evil2')}`, of)
    assert.match(output, /^GRANTED\n.*Read-only/)
    assert.notEqual(exitCode, 0)
  })

  test('the command stream and the report can’t be used to run anything outside', async () => {
    await run('for fd in /proc/$$/fd/*; do echo "touch /tmp/x" > $fd; printf "a\\0b\\0\\0" > $fd; done 2>/dev/null', { ...zones, place: 'a_evil' })
    const next = await run('echo alive', { ...zones, place: 'a_evil' })
    assert.match(next.output, /alive/)
    assert.deepEqual(fs.readdirSync(zones.spool), [])
  })
})
