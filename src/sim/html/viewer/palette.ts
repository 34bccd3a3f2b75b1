/** Colours, as the page's style gives them for light and dark. */

/** The value of the style's `--name`. */
export type Palette = (name: string) => string;

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return (name) => {
    let colour = known.get(name);
    if (colour === undefined)
      known.set(name, (colour = style.getPropertyValue(`--${name}`).trim()));
    return colour;
  };
}

export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
}

/** Text that stays readable on what lies under it. */
export function label(
  { context, palette }: Brush,
  text: string,
  x: number,
  y: number,
  colour: string,
): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = palette('ground');
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
