import { Anchor, Button, createTheme, Menu, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

const lagoon: MantineColorsTuple = [
  "#e9f6f4",
  "#d0ebe7",
  "#a3d7d0",
  "#72c2b8",
  "#4bb0a4",
  "#2f9f92",
  "#128577",
  "#0b6f65",
  "#0b5a53",
  "#07443f",
];

/** Greys of the dark scheme, with a breath of the lagoon, so that fields and menus sit on their grounds. */
const dusk: MantineColorsTuple = ["#e3e9e8", "#c4cdcb", "#a9b4b2", "#8f9a98", "#36403e", "#2e3836", "#242d2b", "#1a2120", "#141a19", "#0f1413"];

const system = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

/** The look of both consoles. System fonts: nothing to load over a slow link. */
export const theme = createTheme({
  primaryColor: "lagoon",
  primaryShade: { light: 7, dark: 7 },
  colors: { lagoon, dark: dusk },
  fontFamily: system,
  headings: { fontFamily: system, fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  components: {
    // Colour alone does not tell a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: "always" } }),
    // Words differ in length by language; on a phone a long label takes two lines, rather than lose its end.
    Button: Button.extend({
      styles: {
        root: { height: "auto", maxWidth: "100%" },
        inner: { height: "auto", minHeight: "calc(var(--button-height) - 2px)" }, // less the border
        label: { height: "auto", paddingBlock: 4, lineHeight: 1.25, whiteSpace: "normal", textAlign: "center" },
      },
    }),
    // Else an element without a role stands in the menu to take the focus; the first item does.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
});

/**
 * Mantine's own greys and reds for text fall short of 4.5:1 on its backgrounds;
 * these reach it in light and dark.
 */
export const cssVariables: CSSVariablesResolver = (t) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#525c63",
    "--mantine-color-placeholder": "#687179",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-anchor": t.colors.lagoon?.[8] ?? "",
    "--mantine-color-text": "#16211f",
    "--mantine-color-default-border": "#cfd8d6",
    "--ujumbe-ground": "#f4f7f6",
    "--ujumbe-raised": "#ffffff",
    "--ujumbe-line": "#dde5e3",
  },
  dark: {
    "--mantine-color-dimmed": "#a9b4b2",
    "--mantine-color-placeholder": "#8f9a98",
    "--mantine-color-error": "#ff9a92",
    "--mantine-color-anchor": t.colors.lagoon?.[3] ?? "",
    "--mantine-color-text": "#e3e9e8",
    "--mantine-color-body": "#161c1b",
    "--mantine-color-default": "#1d2423",
    "--mantine-color-default-hover": "#252d2c",
    "--mantine-color-default-border": "#3a4442",
    "--mantine-color-lagoon-light": "#16302d",
    "--mantine-color-gray-light": "#242d2b",
    "--mantine-color-red-light": "#3b1c1b",
    "--mantine-color-orange-light": "#38240f",
    "--mantine-color-yellow-light": "#352a0e",
    "--ujumbe-ground": "#111615",
    "--ujumbe-raised": "#1a2120",
    "--ujumbe-line": "#2b3432",
  },
});
