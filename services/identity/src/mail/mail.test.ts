import { expect, test } from '@jest/globals'
import { isWanted } from './mail.ts'

const ann = {
  loginId: 'lgn_1',
  firstName: 'Ann',
  isDisabled: false,
  isEmailVerified: false,
  locale: 'de_DE',
}

test.each(['trial-ending', 'link-expiring', 'link-broken'] as const)(
  'no mail of kind %s goes to a disabled login or an unverified address',
  (kind) => {
    const isTold = (change: Partial<typeof ann>, verifyEmailAddress: boolean) =>
      isWanted(kind, { ...ann, ...change }, { verifyEmailAddress })
    expect(isTold({}, false)).toBe(true)
    expect(isTold({}, true)).toBe(false)
    expect(isTold({ isEmailVerified: true }, true)).toBe(true)
    expect(isTold({ isDisabled: true }, false)).toBe(false)
    expect(isTold({ isDisabled: true, isEmailVerified: true }, true)).toBe(false)
  },
)
