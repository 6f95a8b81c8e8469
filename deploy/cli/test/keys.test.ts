import { readdir } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { deployment } from '../testing/deployment.ts'
import { runCommand } from './command.ts'

test('keys:rotate puts a new key in place of the old, which stays beside it', async () => {
  await using place = await deployment()
  const { code, stdout } = await runCommand(['keys:rotate'], place.env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^new key local:[0-9a-f]{16};/)
  expect(stdout).toContain('feed-sync: 0 secrets')
  const [, former] = /only older backups need (secrets-[0-9a-f]{16}\.key)\.\n$/.exec(stdout) ?? []
  const keysOf = async () => readdir(`${place.env.COFFER_DATA_DIR}/keys`)
  const keys = await keysOf()
  expect(keys).toContain(former)
  const finished = await runCommand(['keys:rotate', '--finish'], place.env)
  expect([finished.code, finished.stdout]).toEqual([
    0,
    expect.not.stringContaining('new key local:'),
  ])
  expect(await keysOf()).toEqual(keys)
})

test('keys:rotate with a key service that is not told where is one line', async () => {
  await using place = await deployment()
  const env = { ...place.env, COFFER_KEY_SERVICE: 'aws-kms' }
  const { code, stderr } = await runCommand(['keys:rotate'], env)
  expect([code, stderr]).toEqual([2, expect.stringContaining('COFFER_KMS_KEY_ID: needed')])
})
