import { expect, test } from '@jest/globals'
import { testEnvironment } from '../bootstrap/test-environment.mjs'
import { machineConfig } from '../src/config.ts'

test('ports and data directory have defaults, and can be set', () => {
  expect(machineConfig({}).ports).toEqual({ postgres: 4032, nats: 4033, temporal: 4034 })
  const { dataDir, ports } = machineConfig({
    COFFER_DATA_DIR: '/srv/coffer',
    COFFER_POSTGRES_PORT: '5000',
  })
  expect(dataDir).toBe('/srv/coffer')
  expect(ports.postgres).toBe(5000)
})

test.each(['many', '0', '65536', '80.5'])('%j is refused as a port', (value) => {
  expect(() => machineConfig({ COFFER_NATS_PORT: value })).toThrow(/^COFFER_NATS_PORT: /)
})

test('tests never use the servers of COFFER_*, only those of COFFER_TEST_*', () => {
  const env = testEnvironment({
    PATH: '/bin',
    COFFER_DATABASE_URL: 'postgres://production',
    COFFER_NATS_URL: 'nats://production',
    COFFER_TEST_NATS_URL: 'nats://test',
  })
  expect(env.COFFER_DATABASE_URL).toBeUndefined()
  expect(env.COFFER_NATS_URL).toBe('nats://test')
  expect(env.PATH).toBe('/bin')
})
