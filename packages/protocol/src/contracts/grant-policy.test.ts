import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrant } from './grant-policy.ts'

const places = { dataFolder: '/home/ada/.nuum', userHome: '/home/ada' }

test('project folders can be granted', () => {
  for (const path of [
    '/home/ada/projects/x',
    '/home/ada/Documents',
    '/srv/repo',
    '/run/media/ada/disk',
    '/tmp/work',
    '/home/ada/.nuum-old',
    '/home/ada/.sshx',
    '/data',
  ]) {
    assert.equal(checkGrant(path, places).ok, true, path)
  }
})

test('the data folder, what contains it, homes, key stores and system folders are refused with a reason', () => {
  for (const path of [
    '/home/ada/.nuum',
    '/home/ada/.nuum/',
    '/home/ada/.nuum/agents',
    '/home/ada',
    '/home',
    '/',
    '/home/ada/.ssh',
    '/home/ada/.ssh/sub',
    '/home/ada/.gnupg',
    '/home/ada/.config',
    '/home/ada/.config/x',
    '/home/ada/.mozilla/firefox',
    '/home/ada/Library/Keychains',
    '/proc/1',
    '/sys',
    '/dev',
    '/etc',
    '/etc/ssl',
    '/usr/bin',
    '/root',
    'relative/path',
    '/run/user/1000',
  ]) {
    const verdict = checkGrant(path, places)
    assert.equal(verdict.ok, false, path)
    if (!verdict.ok) assert.match(verdict.error.message, /\.$/)
  }
})

test('the inside of a git repository is refused: hooks there would run on the person’s side', () => {
  for (const path of ['/srv/repo/.git', '/srv/repo/.git/', '/srv/repo/.git/hooks', '/srv/repo/.GIT/x', '/srv/bare.git', '/srv/repo/.git/modules/m']) {
    const verdict = checkGrant(path, places)
    assert.equal(verdict.ok, false, path)
    if (!verdict.ok) assert.match(verdict.error.message, /project folder/)
  }
  for (const path of ['/srv/repo', '/srv/repo/.github', '/srv/digit', '/srv/x.git/checkout']) assert.equal(checkGrant(path, places).ok, true, path)
})

test('a home elsewhere is found wherever it lies', () => {
  assert.equal(checkGrant('/data', { dataFolder: '/data/nuum', userHome: '/home/ada' }).ok, false)
  assert.equal(checkGrant('/data/other', { dataFolder: '/data/nuum', userHome: '/home/ada' }).ok, true)
})

test('case variants are the same place where the disk folds case', () => {
  assert.equal(checkGrant('/home/ada/.SSH', { ...places, foldCase: true }).ok, false)
  assert.equal(checkGrant('/HOME/ADA', { ...places, foldCase: true }).ok, false)
  assert.equal(checkGrant('/home/ada/.SSH', places).ok, true)
})

test('Windows paths', () => {
  const windows = { dataFolder: 'C:\\Users\\ada\\.nuum', userHome: 'C:\\Users\\ada', separator: '\\', foldCase: true } as const
  assert.equal(checkGrant('c:\\users\\ada\\project', windows).ok, true)
  for (const path of ['C:\\', 'C:\\Users', 'c:\\users\\ADA', 'C:\\Users\\ada\\.nuum\\agents', 'C:\\Users\\ada\\AppData\\Local'])
    assert.equal(checkGrant(path, windows).ok, false, path)
})
