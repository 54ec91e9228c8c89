import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ProbeDeps, findSystemProgram, probeSandbox, systemProbeDeps } from './probe.ts'

const deps = (over: Partial<ProbeDeps>): ProbeDeps => ({
  platform: 'linux',
  findProgram: (name) => `/usr/bin/${name}`,
  readFile: () => null,
  run: async () => ({ exitCode: 0, stdout: 'inside\n', stderr: '' }),
  ...over,
})

test('only a start that really confines counts', async () => {
  assert.equal((await probeSandbox(deps({}))).state.available, true)
  for (const result of [
    { exitCode: 0, stdout: 'inside\nroot-writable\n', stderr: '' },
    { exitCode: 0, stdout: '', stderr: '' },
    { exitCode: 1, stdout: '', stderr: 'bwrap: No permissions' },
    { exitCode: null, stdout: '', stderr: '' },
  ]) {
    const probed = await probeSandbox(deps({ run: async () => result }))
    assert.deepEqual([probed.state.available, probed.state.kind, probed.bwrap], [false, 'none', null], JSON.stringify(result))
  }
})

test('what is missing is said, and how to mend it', async () => {
  const missing = await probeSandbox(deps({ findProgram: (name) => (name === 'bwrap' ? null : `/usr/bin/${name}`) }))
  assert.match(missing.state.mend ?? '', /apt install bubblewrap/)
  assert.equal(missing.bash, '/usr/bin/bash')
  const apparmor = await probeSandbox(
    deps({
      run: async () => ({ exitCode: 1, stdout: '', stderr: 'bwrap: setting up uid map: Permission denied' }),
      readFile: (path) => (path.includes('apparmor') ? '1\n' : null),
    }),
  )
  assert.match(apparmor.state.mend ?? '', /AppArmor/)
  assert.match(apparmor.state.detail, /Permission denied/)
  const windows = await probeSandbox(deps({ platform: 'win32' }))
  assert.deepEqual([windows.state.available, windows.bwrap], [false, null])
})

test('programs are found in system folders, never through PATH', () => {
  assert.equal(findSystemProgram('surely-not-a-program'), null)
  assert.match(findSystemProgram('sh') ?? '/bin/sh', /^\/(usr\/)?bin\/sh$/)
})

test('a helper that ends without a word is told in a short sentence, with how to mend it', async () => {
  for (const helper of ['/bin/false', '/nowhere/bwrap']) {
    const { state } = await probeSandbox(
      deps({ findProgram: (name) => (name === 'bwrap' ? helper : `/usr/bin/${name}`), run: systemProbeDeps().run }),
    )
    assert.equal(state.available, false)
    assert.doesNotMatch(state.detail, /unshare|Command failed/)
    assert.ok(state.detail.length < 150 && (state.mend ?? '') !== '', state.detail)
  }
})
