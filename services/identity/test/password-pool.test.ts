import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { startPasswords } from '../src/sign-in/password-pool.client.ts'

test('a password is stored as argon2id with 19 MiB and two passes, salted', async () => {
  await using passwords = startPasswords(2)
  const [first, second] = await Promise.all([
    passwords.hash('a secret'),
    passwords.hash('a secret'),
  ])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(second).not.toBe(first)
  expect(await passwords.matches('a secret', first)).toBe(true)
  expect(await passwords.matches('A secret', first)).toBe(false)
})

test('no password fits a login that is not there, not even the one hashed for it', async () => {
  await using passwords = startPasswords(2)
  expect(await passwords.matches('a secret', null)).toBe(false)
  expect(await passwords.matches('no login has this password', null)).toBe(false)
})

test('tasks beyond the queue are refused at once, the rest is done', async () => {
  await using passwords = startPasswords(1, 600_000)
  passwords.requireRoom()
  const hashes = Array.from({ length: 53 }, () => passwords.hash('a secret'))
  expect(passwords.requireRoom).toThrow(
    'too many passwords are being checked: repeat the request later',
  )
  const all = await Promise.allSettled(hashes)
  passwords.requireRoom()
  const refused = all.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(2)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: Code.Unavailable })
  expect(await passwords.hash('a secret')).toMatch(/^\$argon2id\$/)
})

test('a password that is not hashed in time is refused, and the next one is hashed', async () => {
  await using passwords = startPasswords(1, 1)
  const first = passwords.hash('a secret')
  await expect(passwords.hash('a secret')).rejects.toMatchObject({ code: Code.Unavailable })
  expect(await first).toMatch(/^\$argon2id\$/)
  await using patient = startPasswords(1, 600_000)
  const left = patient.hash('a secret', AbortSignal.abort(new Error('the client is gone')))
  await expect(left).rejects.toThrow('the client is gone')
  expect(await patient.hash('a secret')).toMatch(/^\$argon2id\$/)
})
