import { httpUrl, SettingsError, setting } from '@coffer/kit/service/config'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { readSettings, unknownVariables } from '../src/settings.ts'

const settings = {
  port: setting('COFFER_PORT', z.coerce.number().int().max(65_535).default(4000), 'The port.'),
  mode: setting('COFFER_MODE', z.enum(['fast', 'safe']).default('safe'), 'How it runs.'),
  secret: setting('COFFER_SECRET', z.string().min(3), 'Must be given.'),
}

test('settings have the types of their schemas, and defaults where unset or empty', () => {
  expect(readSettings(settings, { COFFER_PORT: '80', COFFER_SECRET: 'abc' })).toEqual({
    port: 80,
    mode: 'safe',
    secret: 'abc',
  })
  const { port } = readSettings(settings, { COFFER_PORT: '', COFFER_SECRET: 'abc' })
  expect(port).toBe(4000)
})

test('every variable with a bad value is named at once', () => {
  const read = () => readSettings(settings, { COFFER_PORT: '99999', COFFER_MODE: 'wild' })
  expect(read).toThrow(SettingsError)
  const lines = /^COFFER_PORT: .+\nCOFFER_MODE: .+\nCOFFER_SECRET: .+$/
  expect(read).toThrow(lines)
})

test.each<[z.ZodType<unknown>, string | undefined, string]>([
  [z.coerce.number().int(), 'many', 'must be a number'],
  [z.coerce.number().int(), '1.5', 'must be a whole number'],
  [z.coerce.number().int().max(10_000), '10001', 'must be at most 10000'],
  [z.coerce.number().int().min(1), '0', 'must be at least 1'],
  [z.coerce.number().gt(0), '0', 'must be more than 0'],
  [z.stringbool(), 'maybe', 'must be true or false'],
  [z.enum(['fast', 'safe']), 'wild', 'must be one of: fast, safe'],
  [z.union([z.literal(''), z.url()]), 'here', 'must be a URL'],
  [httpUrl, 'ftp://here', 'must be an http or https URL'],
  [z.email(), 'here', 'must be an email address'],
  [z.string().startsWith('postgres'), 'mysql://db', 'must begin with postgres'],
  [z.string().min(3), 'ab', 'must have at least 3 characters'],
  [z.string().min(3), undefined, 'must be set'],
  [z.string().regex(/^[a-z]+$/, 'letters only'), '1', 'letters only'],
])('%# a refused value is described in plain words', (schema, value, text) => {
  const read = () => readSettings({ one: setting('COFFER_ONE', schema, '') }, { COFFER_ONE: value })
  expect(read).toThrow(new SettingsError(`COFFER_ONE: ${text}`))
})

test('variables without a setting are found', () => {
  const environment = { COFFER_PORT: '1', COFFER_PROT: '2', HOME: 'x', COFFER_MODE: 'fast' }
  expect(unknownVariables([settings], environment)).toEqual(['COFFER_PROT'])
})
