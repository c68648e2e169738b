"""The images of the cards, drawn as SVG.

`images` puts one together from the parts that the other modules draw. It is text that depends on
nothing but the card and the number of colours.
"""
