import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { readPassword } from '../src/commands/password.ts'
import { runCommand } from './command.ts'

function inputOf(text: string) {
  const input = new PassThrough()
  input.end(text)
  return input
}

test('the password is the first line of the input', async () => {
  expect(await readPassword(inputOf('a long password\r\nmore\n'))).toBe('a long password')
  expect(await readPassword(inputOf(' spaces stay '))).toBe(' spaces stay ')
})

test('an input without a line is refused', async () => {
  await expect(readPassword(inputOf(''))).rejects.toThrow('Standard input has no password.')
})

test('a command that needs a password says that it has none', async () => {
  const keys = ['--client-id', 'c', '--secret', 's', '--email', 'ann@example.com']
  const env = {
    COFFER_DATA_DIR: '/nonexistent',
    COFFER_AGGREGATOR_URL: 'http://127.0.0.1:1',
  }
  expect(await runCommand(['aggregator:link', ...keys], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Standard input has no password.\n',
  })
})
