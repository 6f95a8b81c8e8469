import type { Institution, ProductStatus } from 'plaid'
import type { Plain } from './plain.ts'

/** An institution in answers of Plaid. */
export type PlaidInstitution = Plain<Institution>

/** A PNG of one pixel, in base64. */
const logo =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const healthy: Plain<ProductStatus> = {
  status: 'HEALTHY',
  last_status_change: '2026-02-15T15:53:00Z',
  breakdown: {
    success: 0.9,
    error_plaid: 0.01,
    error_institution: 0.09,
    refresh_interval: 'NORMAL',
  },
}

/** Returns an institution with status and logo, which answers have on request only. */
export function createInstitution(
  institutionId: string,
  more: Partial<PlaidInstitution> = {},
): PlaidInstitution {
  return {
    institution_id: institutionId,
    name: 'First Platypus Bank',
    products: ['transactions', 'balance', 'identity'],
    country_codes: ['US'],
    url: 'https://bank.example',
    primary_color: '#1f1f1f',
    logo,
    routing_numbers: ['110000000'],
    oauth: false,
    status: { item_logins: healthy, transactions_updates: healthy, auth: healthy },
    ...more,
  }
}
