import { expect, test } from '@jest/globals'
import { knownLocale } from './login.ts'

test.each(['en_US', 'en-GB', 'de_DE', 'pt-BR', 'fil_PH'])(
  'the locale %s is kept as given',
  (locale) => {
    expect(knownLocale(locale)).toBe(locale)
  },
)

test.each(['', 'en', 'english', 'en_us', 'EN_US', 'xx_YY', 'en_ZZ', 'en_US.UTF-8', 'de_XQ'])(
  'the locale %j becomes en_US',
  (locale) => {
    expect(knownLocale(locale)).toBe('en_US')
  },
)
