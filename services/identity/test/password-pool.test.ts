import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { type Passwords, startPasswords } from '../src/password-pool.client.ts'

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

test('what does not fit the queue is refused at once, the rest is done', async () => {
  await using passwords = startPasswords(1, 600_000)
  await passwords.ready()
  const all = await Promise.allSettled(Array.from({ length: 53 }, () => passwords.hash('a secret')))
  const refused = all.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(2)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: Code.Unavailable })
  expect(await passwords.hash('a secret')).toMatch(/^\$argon2id\$/)
})

const dead = { timeoutMs: () => 0 }
const patient = { timeoutMs: () => 600_000 }
const never = new Promise<never>(() => {})

test.each([
  ['is not hashed in time', (passwords: Passwords) => passwords.hash('a secret')],
  ['waits for something else', (passwords: Passwords) => passwords.inTurn(patient, () => never)],
])('what %s is refused', async (_why, ask) => {
  await using passwords = startPasswords(1, 1)
  await expect(ask(passwords)).rejects.toMatchObject({ code: Code.Unavailable })
})

test("nobody waits until the call's own deadline, and the next one is none the worse", async () => {
  await using passwords = startPasswords(1, 600_000)
  await passwords.ready()
  const late = passwords.inTurn(dead, ({ hash }) => hash('a secret'))
  await expect(late).rejects.toMatchObject({ code: Code.Unavailable })
  expect(await passwords.hash('a secret')).toMatch(/^\$argon2id\$/)
})

test('whose turn would come too late is refused before anything is done for them', async () => {
  await using passwords = startPasswords(1, 600_000)
  await passwords.ready()
  await passwords.hash('a secret')
  const begun: string[] = []
  const ask = (who: string, timeoutMs: number) =>
    passwords.inTurn({ timeoutMs: () => timeoutMs }, ({ hash }) => {
      begun.push(who)
      return hash('a secret')
    })
  // No machine hashes one in a millisecond.
  const asked = await Promise.allSettled([
    ask('first', 600_000),
    ask('hasty', 1),
    ask('last', 600_000),
  ])
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(begun).toEqual(['first', 'last'])
})

test('a second hash has its own time', async () => {
  await using passwords = startPasswords(1)
  const both = passwords.inTurn(patient, async ({ hash, matches }) =>
    matches('a secret', await hash('a secret')),
  )
  expect(await both).toBe(true)
})
