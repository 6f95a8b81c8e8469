import { expect, test } from '@jest/globals'
import { connectionOptions } from '../../src/database/connection.ts'
import { createDatabase } from '../../src/database/pool.ts'
import { tlsFault, withCa } from '../../src/database/tls.ts'

const url = 'postgres://coffer:secret@db.example:5432/coffer'

test('modes that fall back to plain text, and unknown ones, are refused', async () => {
  for (const mode of ['prefer', 'allow']) {
    expect(tlsFault(`${url}?sslmode=${mode}`)).toBe(
      `sslmode=${mode} falls back to a connection without TLS: use verify-full, or disable`,
    )
  }
  expect(tlsFault(`${url}?sslmode=verify_full`)).toBe(
    'sslmode=verify_full is not supported: use one of disable, no-verify, require, verify-ca, ' +
      'verify-full',
  )
  expect(tlsFault(`${url}?sslcert=/client.pem`)).toBe('sslcert and sslkey need each other')
  expect(tlsFault(`${url}?sslmode=disable&sslrootcert=/ca.pem`)).toBe(
    'sslmode=disable ignores sslrootcert',
  )
  expect(tlsFault('db.example/coffer')).toMatch(/^must be a URL/)
  for (const mode of ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full']) {
    expect(tlsFault(`${url}?sslmode=${mode}`)).toBeNull()
  }
  await expect(connectionOptions(`${url}?sslmode=prefer`)).rejects.toThrow('Postgres URL: sslmode')
  await expect(connectionOptions(`${url}?sslrootcert=/none.pem`)).rejects.toThrow(
    "Postgres URL: sslrootcert: ENOENT: no such file or directory, open '/none.pem'",
  )
  const pool = { schema: 'one', poolSizeMax: 1, statementTimeoutMs: 100 }
  await expect(createDatabase({ ...pool, url: `${url}?sslmode=prefer` })).rejects.toThrow(
    'Postgres URL: sslmode=prefer',
  )
})

test('no TLS without a mode, a CA or a client certificate; never over a Unix socket', async () => {
  expect(await connectionOptions(url)).toMatchObject({ ssl: false, host: 'db.example', port: 5432 })
  const full = { rejectUnauthorized: true }
  const system = `${url}?sslmode=verify-full&sslrootcert=system&channel_binding=require`
  expect(await connectionOptions(system)).toMatchObject({ ssl: full, enableChannelBinding: true })
  const socket = 'postgres://coffer:secret@%2Fvar%2Frun:5432/coffer'
  expect(withCa(socket, '/ca.pem')).toBe(socket)
  expect(await connectionOptions(`${socket}?sslmode=require`)).toMatchObject({
    ssl: false,
    host: '/var/run',
  })
})

test('a CA for all databases keeps the choices of a URL', () => {
  expect(withCa(url, undefined)).toBe(url)
  expect(withCa(url, '/ca.pem')).toBe(`${url}?sslrootcert=%2Fca.pem`)
  for (const own of ['sslmode=disable', 'sslmode=no-verify', 'sslrootcert=/own.pem']) {
    expect(withCa(`${url}?${own}`, '/ca.pem')).toBe(`${url}?${own}`)
  }
})
