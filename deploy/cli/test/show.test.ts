import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '@coffer/host/settings'
import { setting } from '@coffer/kit/service/config'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { markdownTable, settingsByName, shown } from '../src/commands/show.ts'
import { definitions } from '../src/process/services.ts'
import { settings } from '../src/settings/config.ts'

test('passwords in URLs and secret settings are not shown', () => {
  const text = z.string().optional()
  const url = setting('COFFER_DATABASE_URL', text, '')
  const masked = 'postgres://coffer:***@db.example:5432/coffer?sslmode=require'
  expect(shown(url, masked.replace('***', 'p%40ss-word'))).toBe(masked)
  expect(shown(url, 'postgres://coffer@db.example/coffer')).toBe(
    'postgres://coffer@db.example/coffer',
  )
  const nats = setting('COFFER_NATS_URL', text, '')
  expect(shown(nats, 'nats://me:a@n-0:4222, tls://me:b@n-1:4222')).toBe(
    'nats://me:***@n-0:4222, tls://me:***@n-1:4222',
  )
  expect(shown(nats, 'nats://token@n-0:4222,n-1:4222')).toBe('nats://***@n-0:4222,n-1:4222')
  expect(shown(setting('COFFER_NATS_KEY', text, ''), '/client.key')).toBe('/client.key')
  expect(shown(setting('COFFER_API_SECRET', text, ''), 'abc')).toBe('***')
  expect(shown(setting('COFFER_KEYS_DIR', text, ''), '/keys')).toBe('/keys')
})

test.each(['-1', '0.5', '1e99', 'some words', 'ftp://a.example'])(
  'a setting that refuses %j does so without the default texts of zod',
  (value) => {
    for (const known of settingsByName().values()) {
      let refusal = ''
      try {
        readSettings({ known }, { [known.env]: value })
      } catch (error) {
        refusal = String(error)
      }
      expect(refusal).not.toMatch(/expected|invalid|received|match/i)
    }
  },
)

test('a URL of Postgres with a mode that falls back to plain text is refused', () => {
  const { databaseUrl } = settings
  const value = 'postgres://db.example/coffer?sslmode=prefer'
  expect(() => readSettings({ databaseUrl }, { COFFER_DATABASE_URL: value })).toThrow(
    'COFFER_DATABASE_URL: sslmode=prefer falls back to a connection without TLS',
  )
})

test('no secret has a default', () => {
  for (const known of settingsByName().values()) {
    expect([known.env, shown(known, undefined)]).toEqual([
      known.env,
      expect.not.stringContaining('*'),
    ])
  }
})

test('a default, an absent and an invalid value are told apart', () => {
  const port = setting('COFFER_PORT', z.coerce.number().int().default(4000), '')
  expect(shown(port, undefined)).toBe('4000')
  expect(shown(port, '80')).toBe('80')
  expect(shown(port, 'eighty')).toBe('invalid: eighty')
  expect(shown(setting('COFFER_X', z.string().optional(), ''), undefined)).toBe('-')
})

test('settings of every service are one line each', () => {
  const url = z.url().optional()
  const table = markdownTable([
    setting('COFFER_LEDGER_URL', url, 'Where it is'),
    setting('COFFER_FEED_SYNC_URL', url, 'Where it is'),
    setting('COFFER_PORT', z.coerce.number().default(4000), 'REST'),
  ])
  expect(table.split('\n')).toEqual([
    '| setting                | default | meaning     |',
    '| ---------------------- | ------- | ----------- |',
    '| `COFFER_<SERVICE>_URL` |         | Where it is |',
    '| `COFFER_PORT`          | `4000`  | REST        |',
  ])
})

test('the settings of every service are known', () => {
  for (const { name, settings } of definitions) {
    const own = Object.values(settings).map(({ env }) => env)
    expect([name, [...settingsByName().keys()]]).toEqual([name, expect.arrayContaining(own)])
  }
})

test('docs/limits.md has the default of every bound on what an account has', () => {
  const limits = readFileSync(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')
  const bounds = [...settingsByName().values()].filter(({ env }) => env.endsWith('_MAX'))
  expect(bounds.length).toBeGreaterThan(7)
  const missing = bounds.filter((bound) => {
    const value = Number(shown(bound, undefined)).toLocaleString('en-US')
    const row = limits.split('\n').find((line) => line.includes(`\`${bound.env}\``))
    return !row?.includes(value)
  })
  expect(missing.map(({ env }) => env)).toEqual([])
})

test('the table in docs/running/settings.md is the one that coffer config prints', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/running/settings.md'), 'utf8')
  const [, table] = /<!-- settings -->\n\n(.*)\n\n<!-- end of settings -->/s.exec(page) ?? []
  expect(table).toBe(markdownTable([...settingsByName().values()]))
})
