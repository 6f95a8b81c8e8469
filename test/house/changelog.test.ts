import { expect, test } from '@jest/globals'
import { changelogFaults } from './changelog.ts'

test('a changelog with versions and the three sections is fine', () => {
  const text = [
    '# Changelog',
    '## Unreleased',
    '### Features',
    '- envelopes',
    '## 0.1.0 - 2026-01-31',
    '### Safety and performance',
    '### Features',
    '### Internals',
  ]
  expect(changelogFaults(text.join('\n'))).toEqual([])
})

test.each([
  ['another title', '# Changes', 'CHANGELOG.md:1: the title is "# Changelog"'],
  ['a version without a day', '# Changelog\n## 0.1.0', 'CHANGELOG.md:2: heading "## 0.1.0"'],
  [
    'a section of another name',
    '# Changelog\n## Unreleased\n### Fixed',
    'CHANGELOG.md:3: heading "### Fixed"',
  ],
  [
    'a section before any version',
    '# Changelog\n### Features',
    'CHANGELOG.md:2: heading "### Features"',
  ],
  [
    'a section twice in a version',
    '# Changelog\n## Unreleased\n### Features\n### Features',
    'CHANGELOG.md:4: heading "### Features"',
  ],
])('%s is a fault', (_, text, fault) => {
  expect(changelogFaults(text)).toEqual([fault])
})
