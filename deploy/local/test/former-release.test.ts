import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../bootstrap/paths.mjs'
import { run } from '../bootstrap/run.mjs'
import { formerRelease, requireCommit, unpackRelease } from '../src/former-release.ts'
import { gitEnvironment as env, scratchDirectory } from './scratch.ts'

/** Creates a repository with two commits of one file, its name as text; returns their hashes. */
async function createRepository(folder: string): Promise<string[]> {
  mkdirSync(folder)
  const git = (...args: string[]) => run('git', args, { cwd: folder, env })
  await git('init', '--quiet')
  const commits: string[] = []
  for (const name of ['first', 'second']) {
    writeFileSync(join(folder, 'name'), name)
    await git('add', '.')
    await git('commit', '--quiet', '--message', name)
    commits.push((await git('rev-parse', 'HEAD')).trim())
  }
  return commits
}

test('the former release is a commit of this history', async () => {
  const { commit } = formerRelease()
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  await requireCommit(commit, { folder: root, env })
  await run('git', ['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd: root, env })
})

test('the files of a commit are unpacked once, also by two at the same time', async () => {
  using scratch = scratchDirectory()
  const folder = join(scratch.path, 'repository')
  const into = join(scratch.path, 'releases')
  const [commit = ''] = await createRepository(folder)
  const unpack = () => unpackRelease(commit, { folder, env, into })
  const places = await Promise.all([unpack(), unpack()])
  expect(places).toEqual([join(into, commit), join(into, commit)])
  expect(readdirSync(into)).toEqual([commit])
  expect(readFileSync(join(into, commit, 'name'), 'utf8')).toBe('first')
  writeFileSync(join(into, commit, 'name'), 'kept')
  await unpack()
  expect(readFileSync(join(into, commit, 'name'), 'utf8')).toBe('kept')
})

test('a missing commit is refused with the remedy', async () => {
  using scratch = scratchDirectory()
  const folder = join(scratch.path, 'repository')
  const [commit = ''] = await createRepository(folder)
  const shallow = join(scratch.path, 'shallow')
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${folder}`, shallow], { env })
  const into = join(scratch.path, 'releases')
  await expect(unpackRelease(commit, { folder: shallow, env, into })).rejects.toThrow(
    `This clone lacks the former release ${commit}: run "git fetch --unshallow".`,
  )
  const unknown = '0'.repeat(40)
  await expect(requireCommit(unknown, { folder, env })).rejects.toThrow(
    `run "git fetch origin ${unknown}"`,
  )
  await run('git', ['fetch', '--quiet', '--unshallow'], { cwd: shallow, env })
  await requireCommit(commit, { folder: shallow, env })
})

test('a folder without history is refused', async () => {
  using scratch = scratchDirectory()
  const bare = { ...env, GIT_CEILING_DIRECTORIES: scratch.path }
  const folder = join(scratch.path, 'copy')
  mkdirSync(folder)
  await expect(requireCommit('0'.repeat(40), { folder, env: bare })).rejects.toThrow('is no clone')
})
