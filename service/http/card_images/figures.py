"""The figures of jack, queen, king and joker: busts of flat shapes, from the shoulders up.

They fill the right half of a card below its index, and stand on its lower edge.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.cards import Rank, Suit
from service.http.card_images.palettes import GOLD, JOKER_INK, JOKER_NOSE, PAPER, SKIN
from service.http.card_images.shapes import at, circles, filled, outlined, stroked
from service.http.card_images.suits import SUITS

_ROBE = "M88 349C89 300 103 266 138 256H192C224 263 242 280 249 304V329A20 20 0 0 1 229 349Z"
_FACE = "M133 152H197V190C197 212 184 228 165 228C146 228 133 212 133 190Z"
_NECK = "M151 215H179V250L165 268L151 250Z"
_MIDDLE = 165


def _eyes(ink: str, y: float) -> str:
    return filled(circles(4.5, (151, y), (179, y)), ink)


def _emblem(suit: Suit, fill: str, y: float, scale: float) -> str:
    return filled(SUITS[suit], fill, at(_MIDDLE, y, scale))


def _jack(suit: Suit, ink: str) -> str:
    return "".join(
        (
            filled(_ROBE, ink),
            filled(_NECK, SKIN),
            outlined(
                "M149 243L165 268L181 243L214 262L192 298L165 270L138 298L116 262Z", PAPER, ink
            ),
            filled(
                "M120 148V206C120 226 134 228 142 220V150H188V220C196 228 210 226 210 206V148Z", ink
            ),
            filled(_FACE, SKIN),
            _eyes(ink, 184),
            stroked("M165 186V200H160M157 213Q165 218 173 213", ink, 4),
            outlined("M198 124C204 86 222 68 240 64C244 92 232 122 206 136Z", GOLD, ink, 4),
            stroked("M206 130C214 108 222 94 232 80", ink, 4),
            filled("M116 158C98 118 138 92 182 98C218 103 228 130 214 158Z", ink),
            filled(
                "M115 156C112 150 111 146 111 141C144 134 190 134 219 141C219 146 217 152 215 156"
                "C190 149 144 149 115 156Z",
                GOLD,
            ),
            _emblem(suit, GOLD, 324, 0.34),
        )
    )


def _queen(suit: Suit, ink: str) -> str:
    return "".join(
        (
            filled("M106 282C96 210 112 140 165 138C218 140 234 210 224 282Z", ink),
            filled(_ROBE, ink),
            filled(
                "M151 215H179V246C183 252 194 256 203 262C192 299 138 299 127 262"
                "C136 256 147 252 151 246Z",
                SKIN,
            ),
            filled(_FACE, SKIN),
            filled("M131 150H199V188C190 180 176 168 168 156C158 170 142 180 131 188Z", ink),
            _eyes(ink, 190),
            stroked("M165 192V203H161", ink, 4),
            filled(
                "M155 211C160 208 163 210 165 212C167 210 170 208 175 211C172 219 158 219 155 211Z",
                ink,
            ),
            stroked("M127 264C138 299 192 299 203 264", GOLD, 7),
            outlined(
                "M132 150C150 140 180 140 198 150L208 108L184 124L165 94L146 124L122 108Z",
                GOLD,
                ink,
            ),
            outlined(circles(7, (122, 106), (165, 91), (208, 106)), PAPER, ink, 4),
            filled(circles(6, (128, 214), (202, 214)), GOLD),
            _emblem(suit, GOLD, 324, 0.34),
        )
    )


def _king(suit: Suit, ink: str) -> str:
    return "".join(
        (
            filled(_ROBE, ink),
            outlined(
                "M110 262C120 284 140 298 165 304C190 298 210 284 220 262L196 250H134Z", PAPER, ink
            ),
            filled(circles(4, (126, 268), (145, 284), (185, 284), (204, 268)), ink),
            outlined("M122 150C112 180 120 215 140 232H190C210 215 218 180 208 150Z", ink, ink),
            filled(_FACE, SKIN),
            _eyes(ink, 180),
            stroked("M143 169H157M173 169H187M165 180V194H160", ink, 4),
            filled(
                "M131 190C138 204 146 206 152 204C158 200 162 200 165 203C168 200 172 200 178 204"
                "C184 206 192 204 199 190V214C199 246 184 268 165 280C146 268 131 246 131 214Z",
                ink,
            ),
            filled("M154 213C160 217 170 217 176 213C174 222 156 222 154 213Z", SKIN),
            outlined("M127 152L116 96L146 122L165 84L184 122L214 96L203 152Z", GOLD, ink),
            filled(circles(8, (116, 94), (165, 82), (214, 94)), ink),
            _emblem(suit, ink, 134, 0.24),
            _emblem(suit, GOLD, 327, 0.3),
        )
    )


COURTS: dict[Rank, Callable[[Suit, str], str]] = {
    Rank.JACK: _jack,
    Rank.QUEEN: _queen,
    Rank.KING: _king,
}
"""What draws the figure of a court card of a suit, in an ink."""


def joker() -> str:
    """The figure of the joker."""
    ink = JOKER_INK
    return "".join(
        (
            filled(_ROBE, ink),
            filled("M151 215H179V262H151Z", SKIN),
            outlined(
                "M104 262C120 244 144 240 165 240C186 240 210 244 226 262L232 296L206 276L188 306"
                "L165 280L142 306L124 276L98 296Z",
                GOLD,
                ink,
            ),
            filled(_FACE, SKIN),
            outlined("M127 160C118 130 100 122 84 140C80 104 120 84 150 128Z", GOLD, ink),
            outlined("M203 160C212 130 226 122 238 140C242 104 210 84 180 128Z", GOLD, ink),
            outlined("M127 160C124 120 146 96 152 66C176 84 208 116 203 160Z", ink, ink),
            outlined(circles(9, (85, 146), (152, 62), (235, 146)), GOLD, ink),
            filled("M123 150H207V166H123Z", GOLD),
            _eyes(ink, 188),
            stroked("M143 177L151 173L157 177M173 177L179 173L187 177", ink, 4),
            filled("M145 202C150 223 180 223 185 202C176 209 154 209 145 202Z", ink),
            filled(circles(6, (_MIDDLE, 198)), JOKER_NOSE),
        )
    )
