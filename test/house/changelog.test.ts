import { expect, test } from '@jest/globals'
import { changelogFaults } from './changelog.ts'

test('a changelog with versions and the four sections has no fault', () => {
  const text = [
    '# Changelog',
    '## Unreleased',
    '### Added',
    '- envelopes',
    '## 0.1.0 (2026-01-31)',
    '### Upgrading',
    '### Added',
    '### Changed',
    '### Fixed',
  ]
  expect(changelogFaults(text.join('\n'))).toEqual([])
})

test.each([
  ['another title', '# Changes', 'CHANGELOG.md:1: the title is "# Changelog"'],
  ['a version without a day', '# Changelog\n## 0.1.0', 'CHANGELOG.md:2: heading "## 0.1.0"'],
  [
    'a section of another name',
    '# Changelog\n## Unreleased\n### Internals',
    'CHANGELOG.md:3: heading "### Internals"',
  ],
  ['a section before any version', '# Changelog\n### Added', 'CHANGELOG.md:2: heading "### Added"'],
  [
    'a section twice in a version',
    '# Changelog\n## Unreleased\n### Added\n### Added',
    'CHANGELOG.md:4: heading "### Added"',
  ],
])('%s is a fault', (_, text, fault) => {
  expect(changelogFaults(text)).toEqual([fault])
})
