import { Link } from '@tanstack/react-router'
import { Eye, EyeOff, LogOut } from 'lucide-react'
import { Button } from '../../controls/button.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { setPreferences, usePreferences } from '../../preferences/preferences.ts'
import { barPlacesMax, places } from '../../shell/places.ts'
import { useSignOut } from '../../shell/sign-out.ts'
import { ThemeChoice } from '../../shell/theme-choice.tsx'
import { frameWords } from '../../words/frame.ts'
import styles from './more.module.css'

/** Navigation entries for which the tab bar of a phone has no space. */
export function More() {
  const { areAmountsHidden } = usePreferences()
  const signOut = useSignOut()
  const Icon = areAmountsHidden ? Eye : EyeOff
  return (
    <Screen title={frameWords.more} isNarrow>
      <nav aria-label={frameWords.more} className={styles.places}>
        {places.slice(barPlacesMax).map(({ to, text, icon: PlaceIcon }) => (
          <Link key={to} to={to}>
            <PlaceIcon size={20} aria-hidden />
            {text}
          </Link>
        ))}
      </nav>
      <Card>
        <ThemeChoice />
        <Button onClick={() => setPreferences({ areAmountsHidden: !areAmountsHidden })}>
          <Icon size={18} aria-hidden />
          {areAmountsHidden ? frameWords.showAmounts : frameWords.hideAmounts}
        </Button>
        <Button onClick={signOut}>
          <LogOut size={18} aria-hidden />
          {frameWords.signOut}
        </Button>
      </Card>
    </Screen>
  )
}
