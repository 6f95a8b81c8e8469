import type { Booted } from '@coffer/host/testing/boot'
import { afterEach, expect } from '@jest/globals'
import { auditLedger } from '../src/money/audit.sql.ts'

/** Audits the money of all accounts after each test of a file. Returns its argument. */
export function auditing<Given extends Booted>(booted: Given): Given {
  afterEach(async () => {
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })
  return booted
}
