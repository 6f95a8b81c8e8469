import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { readSettings, SettingsError, setting, unknownVariables } from '../src/config.ts'

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

test('variables that no setting knows are found', () => {
  const environment = { COFFER_PORT: '1', COFFER_PROT: '2', HOME: 'x', COFFER_MODE: 'fast' }
  expect(unknownVariables([settings], environment)).toEqual(['COFFER_PROT'])
})
