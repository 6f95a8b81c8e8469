/** The colours of charts on light and on dark paper, by what they are for. */
const palettes = {
  light: {
    paper: '#ffffff',
    ink: '#1f2328',
    envelopes: '#0969da',
    free: '#1a7f37',
    funding: '#8250df',
    due: '#bc4c00',
  },
  dark: {
    paper: '#0d1117',
    ink: '#e6edf3',
    envelopes: '#58a6ff',
    free: '#3fb950',
    funding: '#bc8cff',
    due: '#f0883e',
  },
} as const

type Palette = Record<keyof (typeof palettes)['light'], string>

/** Colours as marks name them; where styles are not allowed they are those on light paper. */
export const colours = Object.fromEntries(
  Object.entries(palettes.light).map(([name, value]) => [name, `var(--coffer-${name}, ${value})`]),
) as Palette

/** What makes the colours those of the reader's preference. */
export const stylesheet = `
svg { ${variables(palettes.light)} color: ${colours.ink}; background: ${colours.paper} }
@media (prefers-color-scheme: dark) { svg { ${variables(palettes.dark)} } }`

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, value]) => `--coffer-${name}: ${value};`)
    .join(' ')
}
