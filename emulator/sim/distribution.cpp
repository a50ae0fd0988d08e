// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/sim/distribution.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace flushlab::sim {

namespace {

constexpr std::uint64_t kPpm = 1'000'000;
constexpr std::uint64_t kPpb = 1'000'000'000;
constexpr int kFraction = 20;  // Distribution::kFractionBits
constexpr std::uint64_t kMaxQ20 = Distribution::kMaxLatencyNs << kFraction;

void require_range(const char* what, std::uint64_t value, std::uint64_t lowest, std::uint64_t highest) {
  if (value >= lowest && value <= highest) return;
  throw std::invalid_argument("distribution: " + std::string(what) + " is " + std::to_string(value) + ", expected " +
                              std::to_string(lowest) + " to " + std::to_string(highest));
}

void require_ns(const char* what, std::uint64_t value) {
  require_range(what, value, 0, Distribution::kMaxLatencyNs);
}

std::uint64_t saturate_q20(Uint128 value) {
  return value > kMaxQ20 ? kMaxQ20 : static_cast<std::uint64_t>(value);
}

// value_q20 * 2^exponent + floor, saturated.
std::uint64_t scaled_above(std::uint64_t floor_ns, std::uint64_t value_ns, Fixed exponent) {
  return saturate_q20(Uint128{scale_exp2(value_ns << kFraction, exponent)} + (Uint128{floor_ns} << kFraction));
}

Fixed times_log2e(Fixed x) {
  return saturate_fixed((Int128{x} * kLog2eQ63 + (Int128{1} << 62)) >> 63);
}

// The gamma distribution of shape k, in d = ln(x / mean). There its density is proportional to
//
//   g(d) = e^(k * (d + 1 - e^d)),
//
// which peaks with 1 at d = 0, so that neither the gamma function nor a large number appears. g is integrated over an
// even grid of d by the trapezoid rule with its first Euler-Maclaurin correction, for which g' = g * k * (1 - e^d) is
// at hand; from the left for the lower side and from the right for the upper, so that both tails keep their precision.
// The logarithm of a tail's mass is nearly linear in d between two grid points: that inverts it.
class GammaQuantiles {
 public:
  explicit GammaQuantiles(std::uint64_t shape_ppm) : shape_ppm_(shape_ppm) {
    lowest_ = edge(-400 * kFixedOne);
    const Fixed highest = edge(8 * kFixedOne);
    step_ = (highest - lowest_) / static_cast<Fixed>(kGrid) + 1;

    std::vector<std::uint64_t> density(kGrid + 1);
    std::vector<Int128> correction(kGrid + 1);  // h^2 / 12 * g' in the masses' unit
    for (std::size_t i = 0; i <= kGrid; ++i) {
      density[i] = scale_exp2(kPeak, -fall_bits(at(i)));
      correction[i] = (Int128{fixed_mul(step_, slope(at(i)))} * density[i] / 6) >> 32;
    }
    // Masses in units of h / 2 * 2^-60. Beyond both ends g falls at least as fast as an exponential with its slope
    // there.
    const auto tail_mass = [&](std::size_t i) {
      const Fixed steps = fixed_mul(step_, slope(at(i)));
      return (Uint128{density[i]} << 33) / static_cast<Uint128>(steps < 0 ? -Int128{steps} : Int128{steps});
    };
    std::vector<Uint128> lower(kGrid + 1);
    std::vector<Uint128> upper(kGrid + 1);
    lower[0] = tail_mass(0);
    upper[kGrid] = tail_mass(kGrid);
    for (std::size_t i = 1; i <= kGrid; ++i) {
      const std::size_t j = kGrid - i;
      lower[i] = lower[i - 1] + density[i - 1] + density[i];
      upper[j] = upper[j + 1] + density[j + 1] + density[j];
    }
    total_log2_ = log2_of(lower[kGrid] + upper[kGrid]);
    lower_log2_.resize(kGrid + 1);
    upper_log2_.resize(kGrid + 1);
    for (std::size_t i = 0; i <= kGrid; ++i) {
      lower_log2_[i] = log2_of(static_cast<Uint128>(static_cast<Int128>(lower[i]) - correction[i]));
      upper_log2_[kGrid - i] = log2_of(static_cast<Uint128>(static_cast<Int128>(upper[i]) + correction[i]));
    }
  }

  // log2(x / mean) of the x that a probability of tail_q64 / 2^64 lies below, or above.
  [[nodiscard]] Fixed lower(std::uint64_t tail_q64) const {
    return times_log2e(saturate_fixed(Int128{lowest_} + steps_to(lower_log2_, tail_q64)));
  }
  [[nodiscard]] Fixed upper(std::uint64_t tail_q64) const {
    return times_log2e(saturate_fixed(Int128{at(kGrid)} - steps_to(upper_log2_, tail_q64)));
  }

 private:
  static constexpr std::size_t kGrid = 4096;
  static constexpr std::uint64_t kPeak = std::uint64_t{1} << 60;
  static constexpr Fixed kEdgeBits = 42 * kFixedOne;  // the grid ends where g is 2^-42: well beyond p = 2^-33

  [[nodiscard]] Fixed at(std::size_t i) const { return lowest_ + static_cast<Fixed>(i) * step_; }

  // -log2 g(d).
  [[nodiscard]] Fixed fall_bits(Fixed d) const {
    const Fixed fall = std::max<Fixed>(fixed_exp(d) - d - kFixedOne, 0);
    return times_log2e(static_cast<Fixed>(mul_div(static_cast<std::uint64_t>(fall), shape_ppm_, kPpm)));
  }
  // k * (1 - e^d), the slope of ln g.
  [[nodiscard]] Fixed slope(Fixed d) const {
    return static_cast<Fixed>(Int128{kFixedOne - fixed_exp(d)} * static_cast<std::int64_t>(shape_ppm_) /
                              static_cast<std::int64_t>(kPpm));
  }
  // The d between 0 and `outer` at which g has fallen to the edge, by bisection.
  [[nodiscard]] Fixed edge(Fixed outer) const {
    Fixed inner = 0;
    while (outer - inner > 1 || inner - outer > 1) {
      const Fixed middle = inner + (outer - inner) / 2;
      (fall_bits(middle) < kEdgeBits ? inner : outer) = middle;
    }
    return outer;
  }
  // How far from the first grid point the tail's mass reaches the given probability.
  [[nodiscard]] Fixed steps_to(const std::vector<Fixed>& mass_log2, std::uint64_t tail_q64) const {
    const Fixed wanted = total_log2_ + log2_of(tail_q64) - 64 * kFixedOne;
    const auto above = std::upper_bound(mass_log2.begin() + 1, mass_log2.end() - 1, wanted);
    const Fixed below = *(above - 1);
    const Fixed part = *above == below ? 0 : fixed_div(wanted - below, *above - below);
    return static_cast<Fixed>(above - 1 - mass_log2.begin()) * step_ + fixed_mul(part, step_);
  }

  std::uint64_t shape_ppm_;
  Fixed lowest_ = 0;
  Fixed step_ = 0;
  Fixed total_log2_ = 0;
  std::vector<Fixed> lower_log2_;  // of the mass below each grid point, from the left
  std::vector<Fixed> upper_log2_;  // of the mass above each grid point, from the right
};

// BEGIN tools/normal_quantiles.py
// clang-format off
constexpr std::array<std::uint32_t, 1025> kNormalQuantilesQ28{
    1701332580, 1700059113, 1698822795, 1697621494, 1696453258, 1695316295, 1694208955, 1693129715, 1692077168,
    1691050010, 1690047030, 1689067103, 1688109181, 1687172284, 1686255500, 1685357973, 1684478900, 1683617528,
    1682773151, 1681945103, 1681132757, 1680335520, 1679552835, 1678784173, 1678029034, 1677286946, 1676557459,
    1675840147, 1675134605, 1674440450, 1673757313, 1673084848, 1672422721, 1671128229, 1669871470, 1668650280,
    1667462677, 1666306840, 1665181095, 1664083895, 1663013811, 1661969518, 1660949788, 1659953477, 1658979522,
    1658026927, 1657094765, 1656182168, 1655288320, 1654412456, 1653553860, 1652711853, 1651885800, 1651075100,
    1650279185, 1649497519, 1648729594, 1647974929, 1647233069, 1646503580, 1645786052, 1645080094, 1644385333,
    1643701416, 1643028005, 1641711427, 1640433194, 1639191108, 1637983156, 1636807488, 1635662403, 1634546328,
    1633457814, 1632395513, 1631358177, 1630344645, 1629353836, 1628384738, 1627436411, 1626507969, 1625598586,
    1624707486, 1623833937, 1622977253, 1622136787, 1621311928, 1620502099, 1619706756, 1618925382, 1618157489,
    1617402614, 1616660316, 1615930179, 1615211804, 1614504814, 1613808848, 1613123565, 1611783748, 1610482919,
    1609218844, 1607989477, 1606792937, 1605627494, 1604491553, 1603383636, 1602302377, 1601246506, 1600214842,
    1599206286, 1598219812, 1597254460, 1596309333, 1595383590, 1594476440, 1593587143, 1592714998, 1591859349,
    1591019574, 1590195087, 1589385335, 1588589791, 1587807961, 1587039372, 1586283577, 1585540151, 1584808692,
    1584088813, 1583380150, 1582682353, 1581318043, 1579993395, 1578706139, 1577454194, 1576235647, 1575048740,
    1573891849, 1572763472, 1571662218, 1570586798, 1569536009, 1568508733, 1567503928, 1566520616, 1565557885,
    1564614880, 1563690797, 1562784881, 1561896421, 1561024749, 1560169233, 1559329275, 1558504314, 1557693814,
    1556897271, 1556114205, 1555344161, 1554586707, 1553841433, 1553107946, 1552385876, 1551674866, 1550284689,
    1548934887, 1547623148, 1546347355, 1545105561, 1543895978, 1542716953, 1541566958, 1540444578, 1539348498,
    1538277498, 1537230438, 1536206257, 1535203961, 1534222622, 1533261369, 1532319383, 1531395897, 1530490187,
    1529601573, 1528729410, 1527873092, 1527032046, 1526205728, 1525393624, 1524595245, 1523810129, 1523037835,
    1522277946, 1521530063, 1520793807, 1520068817, 1518651271, 1517274850, 1515937200, 1514636165, 1513369766,
    1512136178, 1510933721, 1509760837, 1508616087, 1507498132, 1506405728, 1505337715, 1504293013, 1503270609,
    1502269559, 1501288974, 1500328022, 1499385920, 1498461933, 1497555365, 1496665563, 1495791907, 1494933814,
    1494090731, 1493262132, 1492447522, 1491646428, 1490858403, 1490083019, 1489319873, 1488568577, 1487828763,
    1486382195, 1484977543, 1483612411, 1482284603, 1480992101, 1479733047, 1478505728, 1477308558, 1476140069,
    1474998898, 1473883777, 1472793525, 1471727039, 1470683289, 1469661311, 1468660201, 1467679110, 1466717241,
    1465773843, 1464848209, 1463939671, 1463047600, 1462171399, 1461310505, 1460464384, 1459632529, 1458814459,
    1458009717, 1457217870, 1456438503, 1455671223, 1454915655, 1453438238, 1452003578, 1450609230, 1449252956,
    1447932698, 1446646563, 1445392802, 1444169801, 1442976061, 1441810193, 1440670903, 1439556987, 1438467322,
    1437400856, 1436356606, 1435333651, 1434331124, 1433348213, 1432384151, 1431438218, 1430509732, 1429598052,
    1428702569, 1427822708, 1426957925, 1426107703, 1425271551, 1424449003, 1423639616, 1422842969, 1422058660,
    1421286305, 1419776018, 1418309377, 1416883891, 1415497274, 1414147427, 1412832418, 1411550465, 1410299917,
    1409079248, 1407887038, 1406721968, 1405582810, 1404468415, 1403377712, 1402309698, 1401263430, 1400238026,
    1399232655, 1398246537, 1397278935, 1396329154, 1395396538, 1394480467, 1393580354, 1392695642, 1391825804,
    1390970340, 1390128773, 1389300651, 1388485544, 1387683042, 1386892754, 1385347344, 1383846529, 1382387762,
    1380968712, 1379587235, 1378241357, 1376929258, 1375649254, 1374399784, 1373179399, 1371986753, 1370820590,
    1369679737, 1368563101, 1367469655, 1366398438, 1365348549, 1364319139, 1363309409, 1362318609, 1361346027,
    1360390994, 1359452876, 1358531074, 1357625018, 1356734170, 1355858019, 1354996078, 1354147884, 1353312999,
    1352491004, 1351681498, 1350098448, 1348561003, 1347066562, 1345612740, 1344197347, 1342818366, 1341473935,
    1340162335, 1338881969, 1337631357, 1336409121, 1335213978, 1334044731, 1332900258, 1331779513, 1330681513,
    1329605334, 1328550111, 1327515026, 1326499312, 1325502241, 1324523128, 1323561327, 1322616222, 1321687233,
    1320773810, 1319875427, 1318991589, 1318121823, 1317265679, 1316422728, 1315592562, 1313969043, 1312392209,
    1310859399, 1309368175, 1307916295, 1306501697, 1305122475, 1303776870, 1302463249, 1301180097, 1299926004,
    1298699658, 1297499831, 1296325380, 1295175230, 1294048377, 1292943876, 1291860840, 1290798433, 1289755868,
    1288732402, 1287727334, 1286740001, 1285769774, 1284816058, 1283878290, 1282955934, 1282048480, 1281155445,
    1280276368, 1279410811, 1278558355, 1276891167, 1275271824, 1273697600, 1272165998, 1270674723, 1269221662,
    1267804865, 1266422529, 1265072981, 1263754670, 1262466151, 1261206080, 1259973202, 1258766341, 1257584400,
    1256426348, 1255291218, 1254178100, 1253086138, 1252014526, 1250962503, 1249929350, 1248914387, 1247916970,
    1246936491, 1245972370, 1245024058, 1244091035, 1243172804, 1242268892, 1241378851, 1240502251, 1238787758,
    1237122357, 1235503253, 1233927887, 1232393905, 1230899142, 1229441597, 1228019423, 1226630903, 1225274447,
    1223948574, 1222651905, 1221383152, 1220141110, 1218924654, 1217732725, 1216564332, 1215418542, 1214294476,
    1213191308, 1212108257, 1211044585, 1209999594, 1208972625, 1207963052, 1206970281, 1205993749, 1205032921,
    1204087288, 1203156365, 1202239691, 1201336826, 1199570863, 1197855338, 1196187384, 1194564372, 1192983887,
    1191443707, 1189941777, 1188476199, 1187045214, 1185647186, 1184280596, 1182944028, 1181636157, 1180355749,
    1179101646, 1177872762, 1176668078, 1175486637, 1174327535, 1173189924, 1172073000, 1170976008, 1169898229,
    1168838985, 1167797635, 1166773567, 1165766204, 1164774996, 1163799419, 1162838976, 1161893192, 1160961615,
    1159139376, 1157369036, 1155647647, 1153972507, 1152341135, 1150751243, 1149200723, 1147687620, 1146210127,
    1144766563, 1143355365, 1141975075, 1140624333, 1139301869, 1138006492, 1136737086, 1135492601, 1134272053,
    1133074515, 1131899110, 1130745016, 1129611451, 1128497678, 1127403001, 1126326757, 1125268319, 1124227092,
    1123202510, 1122194035, 1121201153, 1120223377, 1119260243, 1117376139, 1115545523, 1113765362, 1112032874,
    1110345503, 1108700897, 1107096882, 1105531448, 1104002731, 1102509002, 1101048651, 1099620177, 1098222179,
    1096853347, 1095512456, 1094198355, 1092909964, 1091646269, 1090406313, 1089189195, 1087994065, 1086820119,
    1085666599, 1084532785, 1083417995, 1082321583, 1081242935, 1080181468, 1079136626, 1078107883, 1077094734,
    1076096699, 1074144165, 1072246858, 1070401650, 1068605673, 1066856293, 1065151082, 1063487799, 1061864371,
    1060278874, 1058729526, 1057214664, 1055732740, 1054282309, 1052862021, 1051470608, 1050106886, 1048769738,
    1047458118, 1046171038, 1044907569, 1043666833, 1042448001, 1041250288, 1040072953, 1038915290, 1037776634,
    1036656350, 1035553835, 1034468517, 1033399850, 1032347315, 1031310415, 1029281656, 1027310036, 1025392326,
    1023525562, 1021707022, 1019934198, 1018204773, 1016516605, 1014867708, 1013256237, 1011680474, 1010138820,
    1008629780, 1007151957, 1005704043, 1004284811, 1002893108, 1001527851, 1000188018, 998872649, 997580836,
    996311720, 995064491, 993838380, 992632659, 991446639, 990279662, 989131105, 988000377, 986886912,
    985790172, 984709644, 982595292, 980540198, 978541015, 976594676, 974698364, 972849479, 971045625,
    969284583, 967564294, 965882847, 964238464, 962629488, 961054370, 959511662, 958000008, 956518138,
    955064856, 953639039, 952239630, 950865631, 949516101, 948190152, 946886942, 945605674, 944345593,
    943105984, 941886166, 940685493, 939503350, 938339151, 937192338, 936062380, 933851019, 931701272,
    929609669, 927573025, 925588416, 923653144, 921764722, 919920844, 918119375, 916358330, 914635862,
    912950249, 911299884, 909683262, 908098975, 906545701, 905022201, 903527305, 902059916, 900618998,
    899203571, 897812711, 896445545, 895101245, 893779024, 892478139, 891197883, 889937582, 888696599,
    887474323, 886270174, 885083599, 882761083, 880502826, 878305216, 876164941, 874078955, 872044453,
    870058843, 868119727, 866224879, 864372235, 862559870, 860785991, 859048923, 857347099, 855679051,
    854043404, 852438864, 850864215, 849318310, 847800071, 846308477, 844842564, 843401421, 841984185,
    840590037, 839218200, 837867937, 836538547, 835229363, 833939749, 832669099, 831416837, 828965297,
    826581006, 824260196, 821999408, 819795465, 817645435, 815546612, 813496492, 811492751, 809533230,
    807615920, 805738946, 803900558, 802099119, 800333095, 798601046, 796901621, 795233547, 793595626,
    791986730, 790405791, 788851801, 787323807, 785820905, 784342239, 782886996, 781454405, 780043730,
    778654274, 777285372, 775936390, 774606724, 772003055, 769470050, 767003760, 764600564, 762257131,
    759970389, 757737503, 755555846, 753422983, 751336649, 749294738, 747295283, 745336448, 743416515,
    741533876, 739687018, 737874525, 736095059, 734347364, 732630254, 730942608, 729283368, 727651532,
    726046152, 724466327, 722911203, 721379970, 719871856, 718386128, 716922085, 715479062, 714056424,
    711269900, 708557975, 705916496, 703341653, 700829940, 698378126, 695983226, 693642474, 691353307,
    689113339, 686920352, 684772273, 682667169, 680603230, 678578758, 676592162, 674641946, 672726701,
    670845102, 668995897, 667177905, 665390010, 663631153, 661900335, 660196604, 658519060, 656866847,
    655239149, 653635193, 652054239, 650495584, 648958557, 645946849, 643014321, 640156582, 637369605,
    634649683, 631993400, 629397596, 626859346, 624375937, 621944844, 619563719, 617230367, 614942740,
    612698921, 610497112, 608335627, 606212879, 604127377, 602077713, 600062563, 598080672, 596130857,
    594211995, 592323024, 590462938, 588630778, 586825636, 585046647, 583292988, 581563876, 579858563,
    578176336, 574878444, 571665105, 568531654, 565473807, 562487624, 559569470, 556715984, 553924052,
    551190787, 548513500, 545889690, 543317020, 540793308, 538316510, 535884710, 533496111, 531149020,
    528841848, 526573093, 524341340, 522145253, 519983567, 517855084, 515758671, 513693251, 511657803,
    509651355, 507672983, 505721808, 503796992, 501897737, 500023278, 496345873, 492759326, 489258646,
    485839248, 482496914, 479227751, 476028158, 472894800, 469824581, 466814619, 463862232, 460964913,
    458120320, 455326262, 452580680, 449881644, 447227338, 444616052, 442046175, 439516186, 437024647,
    434570198, 432151553, 429767491, 427416854, 425098542, 422811511, 420554765, 418327358, 416128386,
    413956990, 411812348, 407600219, 403486124, 399464680, 395530941, 391680355, 387908717, 384212140,
    380587021, 377030013, 373538000, 370108081, 366737544, 363423856, 360164640, 356957671, 353800856,
    350692227, 347629930, 344612218, 341637440, 338704037, 335810532, 332955527, 330137697, 327355783,
    324608590, 321894981, 319213875, 316564239, 313945093, 311355499, 308794560, 303755269, 298820813,
    293985318, 289243383, 284590030, 280020664, 275531027, 271117172, 266775426, 262502373, 258294822,
    254149792, 250064493, 246036307, 242062777, 238141591, 234270573, 230447671, 226670946, 222938566,
    219248797, 215599994, 211990598, 208419130, 204884179, 201384406, 197918536, 194485349, 191083684,
    187712432, 184370530, 181056964, 174510983, 168067174, 161718794, 155459606, 149283827, 143186078,
    137161339, 131204919, 125312415, 119479689, 113702839, 107978180, 102302217, 96671632, 91083266,
    85534103, 80021257, 74541960, 69093549, 63673456, 58279202, 52908383, 47558662, 42227765,
    36913473, 31613610, 26326043, 21048672, 15779424, 10516250, 5257117, 0,
};
// clang-format on
// END tools/normal_quantiles.py

}  // namespace

template <typename Lower, typename Upper>
Distribution Distribution::tabulate(const Lower& lower, const Upper& upper) {
  static_assert(kFraction == kFractionBits);
  static_assert(sizeof(QuantileTable) <= 32'768);
  auto table = std::make_shared<QuantileTable>();
  for (std::size_t k = 0; k <= kCells; ++k) {
    table->sides_q20[0][k] = lower(k, tail_probability(k));
    table->sides_q20[1][k] = upper(k, tail_probability(k));
  }
  // One median, whatever the last digits of the two ways to it.
  table->sides_q20[1][kCells] = table->sides_q20[0][kCells];

  // The mean: the middle of each cell's ends times its width, and the ends beyond the tables. Widths are counted in
  // units of 2^26 / 2^64, of which all are multiples, and middles doubled: the sum stays below 2^63 * 2^39.
  Uint128 sum = 0;
  for (const auto& side : table->sides_q20) {
    for (std::size_t k = 0; k < kCells; ++k) {
      const std::uint64_t width = tail_probability(k + 1) - tail_probability(k);
      sum += (Uint128{side[k]} + side[k + 1]) * (width >> 26);
    }
    sum += Uint128{side[0]} * 2 * (tail_probability(0) >> 26);
  }
  Distribution result;
  result.mean_ns_ = round_to_ns(static_cast<std::uint64_t>(sum >> 39));
  result.shape_ = std::shared_ptr<const QuantileTable>(std::move(table));
  return result;
}

Distribution Distribution::constant(std::uint64_t value_ns) {
  require_ns("value_ns", value_ns);
  Distribution result;
  result.shape_ = Constant{value_ns};
  result.mean_ns_ = value_ns;
  return result;
}

Distribution Distribution::uniform(std::uint64_t lo_ns, std::uint64_t hi_ns) {
  require_ns("hi_ns", hi_ns);
  require_range("lo_ns", lo_ns, 0, hi_ns);
  if (lo_ns == hi_ns) return constant(lo_ns);
  Distribution result;
  result.shape_ = Uniform{lo_ns, hi_ns - lo_ns + 1};
  result.mean_ns_ = lo_ns + (hi_ns - lo_ns + 1) / 2;
  return result;
}

Distribution Distribution::exponential(std::uint64_t mean_ns, std::uint64_t floor_ns) {
  require_ns("mean_ns", mean_ns);
  require_ns("floor_ns", floor_ns);
  if (mean_ns == 0) return constant(floor_ns);
  const Uint128 floor_q20 = Uint128{floor_ns} << kFraction;
  return tabulate(
      [&](std::size_t, std::uint64_t tail) {
        // -ln(1 - p) = p + p^2 / 2 + p^3 / 3 ...: a logarithm near 0 would not have the digits.
        std::uint64_t sum_q64 = 0;
        std::uint64_t power_q64 = tail;
        for (std::uint64_t n = 1; power_q64 >= n; ++n) {
          sum_q64 += power_q64 / n;
          power_q64 = mul_high(power_q64, tail);
        }
        return saturate_q20(Uint128{mul_high(mean_ns << kFraction, sum_q64)} + floor_q20);
      },
      [&](std::size_t, std::uint64_t tail) {
        const auto bits_q32 = static_cast<std::uint64_t>(64 * kFixedOne - log2_of(tail));  // -log2(p)
        const std::uint64_t log_q32 = mul_high(bits_q32, kLn2Q64);
        return saturate_q20(((Uint128{mean_ns} * log_q32) >> (32 - kFraction)) + floor_q20);
      });
}

Distribution Distribution::shifted_lognormal(std::uint64_t floor_ns, std::uint64_t median_ns, std::uint64_t sigma_ppm) {
  require_ns("floor_ns", floor_ns);
  require_ns("median_ns", median_ns);
  require_range("sigma_ppm", sigma_ppm, 0, kMaxSigmaPpm);
  if (sigma_ppm == 0 || median_ns == 0) return constant(std::min(floor_ns + median_ns, kMaxLatencyNs));
  const auto exponent = [&](std::size_t k) {
    const std::uint64_t power_q32 = mul_div(std::uint64_t{kNormalQuantilesQ28[k]} << 4, sigma_ppm, kPpm);
    return times_log2e(static_cast<Fixed>(power_q32));
  };
  return tabulate([&](std::size_t k, std::uint64_t) { return scaled_above(floor_ns, median_ns, -exponent(k)); },
                  [&](std::size_t k, std::uint64_t) { return scaled_above(floor_ns, median_ns, exponent(k)); });
}

Distribution Distribution::normal(std::uint64_t mean_ns, std::uint64_t sd_ns) {
  require_ns("mean_ns", mean_ns);
  require_ns("sd_ns", sd_ns);
  if (sd_ns == 0) return constant(mean_ns);
  const Uint128 mean_q20 = Uint128{mean_ns} << kFraction;
  const auto distance_q20 = [&](std::size_t k) {
    return (Uint128{sd_ns} * kNormalQuantilesQ28[k]) >> (28 - kFraction);
  };
  return tabulate(
      [&](std::size_t k, std::uint64_t) {
        const Uint128 distance = distance_q20(k);
        return distance >= mean_q20 ? 0 : static_cast<std::uint64_t>(mean_q20 - distance);
      },
      [&](std::size_t k, std::uint64_t) { return saturate_q20(mean_q20 + distance_q20(k)); });
}

Distribution Distribution::gamma(std::uint64_t shape_ppm, std::uint64_t mean_ns, std::uint64_t floor_ns) {
  require_range("shape_ppm", shape_ppm, kMinGammaShapePpm, kMaxGammaShapePpm);
  require_ns("mean_ns", mean_ns);
  require_ns("floor_ns", floor_ns);
  if (mean_ns == 0) return constant(floor_ns);
  const GammaQuantiles gamma(shape_ppm);
  return tabulate([&](std::size_t, std::uint64_t tail) { return scaled_above(floor_ns, mean_ns, gamma.lower(tail)); },
                  [&](std::size_t, std::uint64_t tail) { return scaled_above(floor_ns, mean_ns, gamma.upper(tail)); });
}

Distribution Distribution::empirical(const std::vector<EmpiricalPoint>& points) {
  require_range("number of empirical points", points.size(), 1, kMaxEmpiricalPoints);
  for (std::size_t i = 0; i < points.size(); ++i) {
    require_range("quantile_ppb", points[i].quantile_ppb, i == 0 ? 0 : points[i - 1].quantile_ppb, kPpb);
    require_range("value_ns", points[i].value_ns, i == 0 ? 0 : points[i - 1].value_ns, kMaxLatencyNs);
  }
  if (points.front().value_ns == points.back().value_ns) return constant(points.front().value_ns);

  using Segment = SegmentTable::Segment;
  static_assert(sizeof(SegmentTable) + (kMaxEmpiricalPoints + 1) * sizeof(Segment) <= 32'768);
  auto table = std::make_shared<SegmentTable>();
  table->segments.reserve(points.size() + 1);
  Uint128 mean_ppb2 = 0;  // ns * 2 * 10^9
  const auto add = [&](EmpiricalPoint from, EmpiricalPoint to) {
    mean_ppb2 += (Uint128{from.value_ns} + to.value_ns) * (to.quantile_ppb - from.quantile_ppb);
    if (from.quantile_ppb == to.quantile_ppb) return;
    const auto first_u = static_cast<std::uint64_t>((Uint128{from.quantile_ppb} << 64) / kPpb);
    const auto last_u = static_cast<std::uint64_t>((Uint128{to.quantile_ppb} << 64) / kPpb - 1);
    const int shift = std::countl_zero(last_u - first_u);
    const Uint128 width = (Uint128{last_u - first_u} + 1) << shift;
    const Uint128 rise_q20 = Uint128{to.value_ns - from.value_ns} << kFraction;
    table->segments.push_back(
        {first_u, last_u, from.value_ns << kFraction, static_cast<std::uint64_t>((rise_q20 << 64) / width), shift});
  };
  add({0, points.front().value_ns}, points.front());
  for (std::size_t i = 1; i < points.size(); ++i) add(points[i - 1], points[i]);
  add(points.back(), {static_cast<std::uint32_t>(kPpb), points.back().value_ns});

  const auto segment_of = [&](std::uint64_t u) {
    std::size_t i = 0;
    while (u > table->segments[i].last_u) ++i;
    return static_cast<std::uint16_t>(i);
  };
  for (std::size_t k = 0; k < kCells; ++k) {
    table->first_segment[k] = segment_of(k == 0 ? 0 : tail_probability(k));
    table->first_segment[kCells + k] = segment_of(0 - tail_probability(k + 1));
  }
  Distribution result;
  result.mean_ns_ = static_cast<std::uint64_t>((mean_ppb2 + kPpb) / kPpb / 2);
  result.shape_ = std::shared_ptr<const SegmentTable>(std::move(table));
  return result;
}

}  // namespace flushlab::sim
