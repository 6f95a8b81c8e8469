import { Monitor, Moon, Sun } from 'lucide-react'
import { useId } from 'react'
import { type Preferences, setPreferences, usePreferences } from '../preferences/preferences.ts'
import { frameWords } from '../words/frame.ts'
import styles from './theme-choice.module.css'

const choices = [
  { theme: 'system', icon: Monitor },
  { theme: 'light', icon: Sun },
  { theme: 'dark', icon: Moon },
] as const satisfies { theme: Preferences['theme']; icon: unknown }[]

/**
 * Choice of the colour theme: system, light or dark. Of radio buttons of one name the browser marks
 * one alone, and the frame has a second choice: each has a name of its own.
 */
export function ThemeChoice() {
  const { theme: chosen } = usePreferences()
  const name = useId()
  return (
    <fieldset className={styles.choice}>
      <legend>{frameWords.theme}</legend>
      {choices.map(({ theme, icon: Icon }) => (
        <label key={theme} title={frameWords.themes[theme]}>
          <input
            type="radio"
            name={name}
            checked={theme === chosen}
            onChange={() => setPreferences({ theme })}
            aria-label={frameWords.themes[theme]}
          />
          <Icon size={16} aria-hidden />
        </label>
      ))}
    </fieldset>
  )
}
