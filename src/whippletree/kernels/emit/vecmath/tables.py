"""Numbers of the vector functions: polynomials, and constants split into parts that multiply exactly.

All of them are made by `bench/vecmath_coefficients.py`. Polynomials have their lowest coefficient first;
the exponent in the comment is the largest error relative to the function, over the reduced interval.
"""

from typing import NamedTuple

from ...trace.precision import DOUBLE, SINGLE

Numbers = tuple[float, ...]


class Tables(NamedTuple):
    """The numbers of one precision.

    Attributes:
        sin: P in sin r = r + r z P(z), z = r², |r| <= π/4.
        cos: P in cos r = 1 - z/2 + z² P(z), z = r², |r| <= π/4.
        asin: P in asin s = s + s z P(z), z = s², |s| <= 1/2.
        atan: P in atan t = t + t z P(z), z = t², |t| <= tan π/8.
        exp: P in exp r = 1 + r + r² P(r), |r| <= ln 2 / 2.
        log: P in log (1+s)/(1-s) = 2 s + s z P(z), z = s², |s| <= (√2 - 1)/(√2 + 1).
        half_pi: π/2 as a sum of numbers of all bits each.
        half_pi_short: π/2 with few bits in all parts but the last: products with an integer below
            `large` are exact.
        three_quarter_pi: 3π/4 as a sum of two.
        ln2: ln 2 with few bits in the first part: products with an exponent are exact.
        large: Where subtraction of multiples of π/2 ends and `huge` begins.
        largest_power: e to this power is beyond all numbers, and to its negative below them.
    """

    sin: Numbers
    cos: Numbers
    asin: Numbers
    atan: Numbers
    exp: Numbers
    log: Numbers
    half_pi: Numbers
    half_pi_short: Numbers
    three_quarter_pi: Numbers
    ln2: Numbers
    large: float
    largest_power: float


_DOUBLE = Tables(
    sin=(  # 2^-57.9
        -0.1666666666666663,
        0.00833333333332184,
        -0.000198412698293585,
        2.755731353849049e-06,
        -2.5050734382819434e-08,
        1.589543273721627e-10,
    ),
    cos=(  # 2^-63.9
        0.041666666666666595,
        -0.0013888888888873342,
        2.4801587289002056e-05,
        -2.7557314217022486e-07,
        2.08757053923895e-09,
        -1.1358748977700763e-11,
    ),
    asin=(  # 2^-59.9
        0.1666666666666676,
        0.07499999999970863,
        0.04464285717456482,
        0.030381942709651538,
        0.022372214942291514,
        0.017351612735554175,
        0.01398081272669109,
        0.011398970876845119,
        0.010779948284418013,
        0.003707482964281253,
        0.021704989346227752,
        -0.02099577334519893,
        0.032626669268217785,
    ),
    atan=(  # 2^-59.4
        -0.333333333333332,
        0.1999999999995368,
        -0.14285714280200848,
        0.11111110783579983,
        -0.09090897760519139,
        0.07692060270458982,
        -0.06663104843065386,
        0.058478965746743175,
        -0.0503934481450238,
        0.03806577337449696,
        -0.017908750758898473,
    ),
    exp=(  # 2^-56.4
        0.5000000000000011,
        0.16666666666666413,
        0.04166666666653025,
        0.008333333333494878,
        0.0013888888943603614,
        0.00019841269505478616,
        2.4801493128196797e-05,
        2.7557587528304487e-06,
        2.7630237341352803e-07,
        2.4999643016068606e-08,
    ),
    log=(  # 2^-59.5
        0.6666666666666734,
        0.3999999999941705,
        0.2857142874189028,
        0.2222219862194129,
        0.18183561886782149,
        0.1531411092935391,
        0.14795363163829506,
    ),
    half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    half_pi_short=(1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32),
    three_quarter_pi=(2.356194490192345, 9.184850993605148e-17),
    ln2=(0.693147180559663, 2.8235290563031577e-13),
    large=2.0**20,
    largest_power=800.0,
)

_SINGLE = Tables(
    sin=(  # 2^-32.5
        -0.1666666716337204,
        0.008333379402756691,
        -0.00019853058620356023,
        2.832390919138561e-06,
    ),
    cos=(  # 2^-33.0
        0.04166664555668831,
        -0.0013887309469282627,
        2.4432327336398885e-05,
    ),
    asin=(  # 2^-31.7
        0.16666659712791443,
        0.07500521838665009,
        0.04451335221529007,
        0.0318395234644413,
        0.01431217323988676,
        0.03770212084054947,
    ),
    atan=(  # 2^-30.4
        -0.33333316445350647,
        0.19998528063297272,
        -0.14244388043880463,
        0.10599121451377869,
        -0.060898713767528534,
    ),
    exp=(  # 2^-29.8
        0.5,
        0.1666666567325592,
        0.04166629537940025,
        0.008333497680723667,
        0.0013944648671895266,
        0.00019789926591329277,
    ),
    log=(  # 2^-30.2
        0.6666677594184875,
        0.3997759222984314,
        0.29870498180389404,
    ),
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    half_pi_short=(1.5706787109375, 0.00011761486530303955, 9.920313459588215e-10, 6.223371969669989e-14),
    three_quarter_pi=(2.356194496154785, -5.962440319251527e-09),
    ln2=(0.693145751953125, 1.428606765330187e-06),
    large=2.0**10,
    largest_power=110.0,
)

TABLES = {DOUBLE: _DOUBLE, SINGLE: _SINGLE}

# The binary digits of 2/π behind the point, 64 to a word.
TWO_OVER_PI = (
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
)
