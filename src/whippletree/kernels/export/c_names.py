"""Names that C has taken: words of the language, macros, and the functions and types of its library."""

from __future__ import annotations

# The second paragraph is newer than C99: compilers that are not told which C to follow know these as well.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
while
alignas alignof asm bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
"""

# Kinds of numbers, as the names of functions and constants end in them.
_KINDS = ("", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "d32", "d64", "d128")
_CONSTANTS = "1_PI 2_PI 2_SQRTPI E LN10 LN2 LOG10E LOG2E PI PI_2 PI_4 SQRT1_2 SQRT2"

# Of <math.h> and <stdio.h>, those that only some systems have among them; and what compilers define.
_MACROS = """
BUFSIZ DOMAIN EOF FILENAME_MAX FOPEN_MAX FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN
FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD
FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF HUGE_VALL INFINITY
L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN NULL OVERFLOW PLOSS P_tmpdir
RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SING TLOSS
TMP_MAX UNDERFLOW WCHAR_MAX WCHAR_MIN X_TLOSS errno fpclassify iscanonical iseqsig isfinite isgreater
isgreaterequal isinf isless islessequal islessgreater isnan isnormal issignaling issubnormal isunordered
iszero linux math_errhandling signbit stderr stdin stdout unix
"""

# For every kind of numbers: <math.h>; and <complex.h>, which compilers know without being asked.
_NUMBERS = """
acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn
copysign cos cosh cospi drem erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim finite floor fma fmax
fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num
fminimum_num fminmag fmod frexp fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp
lgamma llogb llrint llround log log10 log10p1 log1p log2 log2p1 logb logp1 lrint lround modf nan nearbyint
nextafter nextdown nexttoward nextup pow pow10 pown powr remainder remquo rint rootn round roundeven rsqrt
scalb scalbln scalbn setpayload setpayloadsig signbit significand sin sincos sinh sinpi sqrt tan tanh
tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog clog10 conj cpow cproj creal
csin csinh csqrt ctan ctanh
"""
_NARROWED = "add sub mul div sqrt fma"  # with a kind before it and one after

# <stdio.h>, as the standard has it and what many systems add.
_FILES = """
clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf
fseek fsetpos ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf
setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf
vsprintf vsscanf
asprintf clearerr_unlocked ctermid cuserid dprintf fclose_unlocked fcloseall fdopen feof_unlocked
ferror_unlocked fflush_unlocked fgetc_unlocked fgetpos64 fgets_unlocked fileno fileno_unlocked flockfile
fmemopen fopen64 fopencookie fputc_unlocked fputs_unlocked fread_unlocked freopen64 fseeko fseeko64
fsetpos64 ftello ftello64 ftrylockfile funlockfile fwrite_unlocked getc_unlocked getchar_unlocked getdelim
getline getw obstack_printf obstack_vprintf open_memstream pclose popen putc_unlocked putchar_unlocked
puts_unlocked putw renameat renameat2 setbuffer setlinebuf tempnam tmpfile64 tmpnam_r vasprintf vdprintf
"""

# Headers that are not included. Their functions are reserved all the same, and compilers know many of them:
# <stdlib.h>, <string.h>, <ctype.h> and <wctype.h>, <wchar.h>, some small ones, and what is common elsewhere.
_OTHERS = """
abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free getenv labs
ldiv llabs lldiv malloc mblen mbstowcs mbtowc qsort quick_exit rand realloc srand strtod strtof strtol
strtold strtoll strtoul strtoull system wcstombs wctomb
memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat
strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm
isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper iswalnum
iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper
iswxdigit isxdigit toascii tolower toupper towctrans towlower towupper wctrans wctype
btowc fgetwc fgetws fputwc fputws fwide fwprintf fwscanf getwc getwchar mbrlen mbrtowc mbsinit mbsrtowcs
putwc putwchar swprintf swscanf ungetwc vfwprintf vfwscanf vswprintf vswscanf vwprintf vwscanf wcrtomb
wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr
wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol wcstold wcstoll wcstoul wcstoull wcsxfrm wctob wmemchr
wmemcmp wmemcpy wmemmove wmemset wprintf wscanf
asctime clock ctime difftime feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept
fesetenv fesetexceptflag fesetround fetestexcept feupdateenv gmtime imaxabs imaxdiv localeconv localtime
longjmp mktime raise setjmp setlocale signal strftime strtoimax strtoumax time wcstoimax wcstoumax
alloca bcmp bcopy bzero dcgettext dgettext execl execle execlp execv execve execvp ffs ffsimax ffsl ffsll
fork fprintf_unlocked gettext index matherr memccpy mempcpy ngettext posix_memalign printf_unlocked rindex
signgam stpcpy stpncpy strcasecmp strdup strfmon strncasecmp strndup strnlen
"""

_TYPES = """
FILE cookie_close_function_t cookie_io_functions_t cookie_read_function_t cookie_seek_function_t
cookie_write_function_t double_t float_t fpos64_t fpos_t off64_t off_t size_t ssize_t va_list wchar_t
"""

WORDS = frozenset(_WORDS.split())
MACROS = frozenset(
    _MACROS.split()
    + [f"M_{name}{kind}" for name in _CONSTANTS.split() for kind in _KINDS]
    + [f"{name}{kind.upper()}" for name in ("HUGE_VAL_", "SNAN") for kind in _KINDS]
)
# What a function of one's own cannot be called. An array can: where it is declared, its name means the array.
OF_THE_LIBRARY = frozenset(
    f"{_FILES} {_OTHERS} {_TYPES}".split()
    + [f"{name}{kind}" for name in _NUMBERS.split() for kind in _KINDS]
    + [f"{name}{kind}_r" for name in ("gamma", "lgamma") for kind in _KINDS]
    + [f"{to}{name}{kind}" for to in ("d", *_KINDS[1:]) for name in _NARROWED.split() for kind in _KINDS]
)
